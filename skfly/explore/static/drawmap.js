// Drawing the map: points by region, then labels that do not overlap.

const LABELS = 160; // at most, at a time
const TRIED = 2500; // words that a place is looked for
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

function fit(canvas) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return [pen, width, height];
}

export function drawMap(canvas, { data, at, scale, chosen, marked, lasso, polygon, documents }) {
  const [pen, width, height] = fit(canvas);
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const colours = data.of.map((_, i) => colour(`--r${i}`));
  const placeX = (x) => at.x + ((at.k * x) / scale) * width;
  const placeY = (y) => at.y + ((at.k * y) / scale) * height;
  pen.fillStyle = colour("--card");
  pen.fillRect(0, 0, width, height);

  if (documents) {
    pen.fillStyle = colour("--soft");
    pen.globalAlpha = 0.45;
    const { x, y } = data.documents;
    const dot = Math.min(9, 3 * Math.sqrt(at.k));
    for (let i = 0; i < x.length; i += 1) {
      const [px, py] = [placeX(x[i]), placeY(y[i])];
      if (px < 0 || py < 0 || px > width || py > height) continue;
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
      if (x < 0 || y < 0 || x > width || y > height) continue;
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
  canvas.dataset.labels = String(label());

  function label() {
    pen.font = FONT;
    pen.textAlign = "center";
    pen.lineWidth = 3.5;
    pen.lineJoin = "round";
    pen.strokeStyle = colour("--card");
    const columns = Math.ceil(width / 16) + 1;
    const taken = new Uint8Array(columns * (Math.ceil(height / 9) + 2));
    let drawn = 0;

    function put(i) {
      const [x, y] = [placeX(data.x[i]), placeY(data.y[i])];
      const half = widthOf(pen, data.words[i]) / 2 + 3;
      if (x - half < 0 || x + half > width || y < 18) return;
      const [left, right] = [Math.floor((x - half) / 16), Math.floor((x + half) / 16)];
      const [top, bottom] = [Math.floor((y - 18) / 9), Math.floor(y / 9)];
      for (let row = top; row <= bottom; row += 1) {
        for (let column = left; column <= right; column += 1) {
          if (taken[row * columns + column]) return;
        }
      }
      for (let row = top; row <= bottom; row += 1) {
        taken.fill(1, row * columns + left, row * columns + right + 1);
      }
      pen.fillStyle = i === chosen ? colour("--accent") : colours[data.regions[i]];
      pen.strokeText(data.words[i], x, y - 5);
      pen.fillText(data.words[i], x, y - 5);
      drawn += 1;
    }

    if (chosen !== undefined && seen[chosen]) {
      pen.fillStyle = colour("--accent");
      pen.beginPath();
      pen.arc(placeX(data.x[chosen]), placeY(data.y[chosen]), 6, 0, 7);
      pen.fill();
      put(chosen);
    }
    for (const i of marked) if (seen[i] && i !== chosen) put(i);
    if (dim && chosen === undefined) return drawn; // the words of a cell, and no others
    let tried = 0;
    for (const i of data.labelled) {
      if (drawn >= LABELS || tried >= TRIED) break;
      if (!seen[i] || i === chosen || marked.has(i)) continue;
      tried += 1;
      put(i);
    }
    return drawn;
  }
}
