// Drawing the map: points by region, then labels that do not overlap.

const LABELS = 160; // at most, at a time
const TRIED = 2500; // words that a place is looked for
const [WIDE, HIGH] = [8, 6]; // of a square that is free or taken, in pixels
const BELOW = 23; // pixels from a label above a point to one below it
const REACH = 0.5; // of the size of the view, on each side: a drag moves so much as a picture
const FONT = "600 13px system-ui, sans-serif";
const widths = new Map();

function widthOf(pen, word) {
  let width = widths.get(word);
  if (width === undefined) {
    width = pen.measureText(word).width;
    widths.set(word, width);
  }
  return width;
}

const pixels = () => window.devicePixelRatio || 1;

/** The nearest length that keeps a moved canvas sharp. */
export const wholePixels = (length) => Math.round(length * pixels()) / pixels();

/** How far the canvas goes beyond each side of a view. */
export const reachOf = (size) => size.map((length) => wholePixels(REACH * length));

/** What is seen of a canvas, as a canvas of its own. */
export function middle(canvas, size) {
  const part = document.createElement("canvas");
  [part.width, part.height] = size.map((length) => Math.round(length * pixels()));
  part.getContext("2d").drawImage(canvas, ...reachOf(size).map((length) => -length * pixels()));
  return part;
}

function fit(canvas, size) {
  const ratio = pixels();
  const reach = reachOf(size);
  const [width, height] = size.map((length, axis) => Math.round((length + 2 * reach[axis]) * ratio));
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const style = { width: width / ratio, height: height / ratio, left: -reach[0], top: -reach[1] };
  for (const [name, length] of Object.entries(style)) canvas.style[name] = `${length}px`;
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, reach[0] * ratio, reach[1] * ratio);
  return pen;
}

/** Draw the view of a map, and with `isWide` what lies around it as far as the canvas goes. */
export function drawMap(canvas,
  { data, at, size, isWide, scale, chosen, marked, lasso, polygon, documents }) {
  const [width, height] = size;
  const pen = fit(canvas, size);
  const [left, top] = isWide ? reachOf(size).map((length) => -length) : [0, 0];
  const [right, bottom] = [width - left, height - top];
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const colours = data.of.map((_, i) => colour(`--r${i}`));
  const placeX = (x) => at.x + ((at.k * x) / scale) * width;
  const placeY = (y) => at.y + ((at.k * y) / scale) * height;
  pen.fillStyle = colour("--card");
  pen.fillRect(left, top, right - left, bottom - top);

  if (documents) {
    pen.fillStyle = colour("--soft");
    pen.globalAlpha = 0.45;
    const { x, y } = data.documents;
    const dot = Math.min(9, 3 * Math.sqrt(at.k));
    for (let i = 0; i < x.length; i += 1) {
      const [px, py] = [placeX(x[i]), placeY(y[i])];
      if (px < left || py < top || px > right || py > bottom) continue;
      pen.fillRect(px - dot / 2, py - dot / 2, dot, dot);
    }
    pen.globalAlpha = 1;
  }

  const dim = marked.size > 0;
  const dot = Math.min(5, 1.8 * Math.sqrt(at.k));
  const seen = new Uint8Array(data.x.length);
  if (dim) pen.globalAlpha = 0.35;
  for (let region = 0; region < colours.length; region += 1) {
    pen.fillStyle = colours[region];
    for (const i of data.of[region]) {
      const x = placeX(data.x[i]);
      const y = placeY(data.y[i]);
      if (x < left || y < top || x > right || y > bottom) continue;
      pen.fillRect(x - dot / 2, y - dot / 2, dot, dot);
      seen[i] = 1;
    }
  }
  pen.globalAlpha = 1;
  for (const i of marked) {
    if (!seen[i]) continue;
    pen.fillStyle = colours[data.regions[i]];
    pen.beginPath();
    pen.arc(placeX(data.x[i]), placeY(data.y[i]), 4, 0, 7);
    pen.fill();
  }

  const shape = lasso ?? polygon?.map(([x, y]) => [placeX(x), placeY(y)]);
  if (shape) {
    pen.beginPath();
    shape.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    if (!lasso) pen.closePath();
    pen.fillStyle = pen.strokeStyle = colour("--accent");
    pen.globalAlpha = 0.12;
    pen.fill();
    pen.globalAlpha = 1;
    pen.lineWidth = 2;
    pen.stroke();
  }
  if (chosen !== undefined && seen[chosen]) {
    pen.fillStyle = colour("--accent");
    pen.beginPath();
    pen.arc(placeX(data.x[chosen]), placeY(data.y[chosen]), 6, 0, 7);
    pen.fill();
  }

  pen.font = FONT;
  pen.textAlign = "center";
  pen.lineWidth = 3.5;
  pen.lineJoin = "round";
  pen.strokeStyle = colour("--card");
  // what is taken is counted from the corner of the map, so that labels stay when it moves
  const columnOf = (x) => Math.floor((x - at.x) / WIDE) - Math.floor((left - at.x) / WIDE);
  const rowOf = (y) => Math.floor((y - at.y) / HIGH) - Math.floor((top - at.y) / HIGH);
  const columns = columnOf(right) + 1;
  const taken = new Uint8Array(columns * (rowOf(bottom) + 1));
  let drawn = label(0, 0, width, height, 1);
  pen.globalAlpha = 1;
  if (isWide) drawn += label(left, top, right, bottom, 2); // then what is not seen yet
  pen.globalAlpha = 1;
  canvas.dataset.labels = String(drawn);

  /** Label what lies between four sides, with so many times the labels of a view. */
  function label(x0, y0, x1, y1, times) {
    let n = 0;

    /** Label a point above it, or so many pixels lower; tells whether there was room. */
    function put(i, lower = 0) {
      const [x, y] = [placeX(data.x[i]), placeY(data.y[i]) + lower];
      const half = widthOf(pen, data.words[i]) / 2 + 3;
      if (x - half < x0 || x + half > x1 || y - 18 < y0 || y > y1) return false;
      const [first, last] = [columnOf(x - half), columnOf(x + half)];
      for (let row = rowOf(y - 18); row <= rowOf(y); row += 1) {
        for (let column = first; column <= last; column += 1) {
          if (taken[row * columns + column]) return false;
        }
      }
      for (let row = rowOf(y - 18); row <= rowOf(y); row += 1) {
        taken.fill(1, row * columns + first, row * columns + last + 1);
      }
      pen.fillStyle = i === chosen ? colour("--accent") : colours[data.regions[i]];
      pen.strokeText(data.words[i], x, y - 5);
      pen.fillText(data.words[i], x, y - 5);
      n += 1;
      return true;
    }

    if (chosen !== undefined && seen[chosen]) put(chosen);
    for (const i of marked) if (seen[i] && i !== chosen) put(i) || put(i, BELOW);
    if (dim && chosen === undefined) return n; // the words of a cell, and no others
    if (dim) pen.globalAlpha = 0.5;
    let tried = 0;
    for (const i of data.labelled) {
      if (n >= LABELS * times || tried >= TRIED * times) break;
      if (!seen[i] || i === chosen || marked.has(i)) continue;
      tried += 1;
      put(i);
    }
    return n;
  }
}
