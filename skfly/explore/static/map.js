// A map of the words on a canvas; zooming and panning are d3-zoom's.

import { ask, latest } from "./api.js";
import { beginning, count, h, percent, plural } from "./dom.js";
import { drawMap, middle, reachOf, wholePixels } from "./drawmap.js";
import { codeGrid, failure, nameOf, note, wordList } from "./parts.js";
import { savable, savePicture, saveTable } from "./save.js";
import { go, link, linkCell, linkWord } from "./state.js";

const NEAR = 14; // pixels between a press and a word
const SCALE = 10000; // of the coordinates of the map
const CORNERS = 80; // of a selection, at most
const STEP = 5; // pixels between two of them
const ZOOMS = [0.8, 60];
let kept = null;

/** The polygon in an address: "x,y,x,y". */
function polygonOf(text) {
  const numbers = (text ?? "").split(",").map(Number);
  if (numbers.length < 6 || numbers.length % 2 || numbers.length > 400) return null;
  if (!numbers.every((n) => Number.isInteger(n) && n >= -SCALE && n <= 2 * SCALE)) return null;
  return numbers.flatMap((n, i) => (i % 2 ? [] : [[n, numbers[i + 1]]]));
}

/** What lies in the middle of the view, and its zoom, in an address: "x,y,zoom". */
function placeOf(text) {
  const numbers = (text ?? "").split(",").map(Number);
  const isPlace = numbers.length === 3 && numbers.every(Number.isFinite) &&
    numbers.slice(0, 2).every((n) => n >= -SCALE && n <= 2 * SCALE);
  return isPlace ? [...numbers.slice(0, 2), Math.min(ZOOMS[1], Math.max(ZOOMS[0], numbers[2]))] : null;
}

function prepare(answer, model) {
  const of = model.region_names.map(() => []);
  answer.regions.forEach((region, i) => of[region].push(i));
  return { ...answer, x: Float32Array.from(answer.x), y: Float32Array.from(answer.y), of,
    index: new Map(answer.words.map((word, i) => [word, i])) };
}

export function mapView(root, model) {
  const askSelection = latest();
  const askMarked = latest();
  let params = {};
  let data = null;
  let marked = new Set(); // neighbours of the word, or words of the cell
  let lasso = null; // corners, in pixels, while one is drawn
  let at = window.d3.zoomIdentity;
  let moves = false; // a press or a wheel goes on
  let isMoved = false; // by someone, and the address does not yet say where
  let drawn = null; // where the canvas was drawn, and whether with what lies around the view
  let frame = 0;
  const canvas = h("canvas", { "aria-hidden": "true" }); // larger than the view, which shows its middle
  const view = h("div", { class: "view", tabindex: 0, role: "img",
    "aria-label": "Map of words; the search above moves to a word. Arrow keys move the map, plus and minus zoom." },
  canvas);
  const told = h("p", { class: "lead", "aria-live": "polite" });
  const pointed = h("div", { class: "pointed", hidden: true });
  const holder = h("div", { class: "map" }, view, pointed);
  const status = h("div");
  const panel = h("section", { id: "selection", "aria-live": "polite" });
  const change = (changes) => go("map", { ...params, ...changes });
  const draws = h("button", { type: "button", id: "lasso", "aria-pressed": "false", onclick: () => {
    draws.setAttribute("aria-pressed", String(draws.getAttribute("aria-pressed") !== "true"));
    view.classList.toggle("draws", isDrawing());
  } }, "Draw a selection");
  const isDrawing = () => draws.getAttribute("aria-pressed") === "true";
  const shows = h("input", { type: "checkbox", id: "docs",
    onchange: () => change({ docs: shows.checked ? "1" : undefined }) });
  const layer = h("span", { class: "layer", hidden: true }); // tells what the points of documents are
  const tools = h("div", { class: "tools" }, draws,
    h("button", { type: "button", id: "in-view", onclick: () => {
      const [width, height] = size();
      select([[0, 0], [width, 0], [width, height], [0, height]]);
    } }, "Select everything in view"),
    model.n_documents === null ? null : h("label", {}, shows, " Documents"),
    savePicture("Map of words", () => {
      draw();
      return middle(canvas, size());
    }));
  root.append(h("h1", { tabindex: -1 }, "Map of words"), told, status, tools, holder,
    h("p", { class: "legend" }, model.region_names.map((name, i) =>
      name && h("span", { class: `region r${i}` }, name)), layer), panel);
  const zoom = window.d3.zoom().scaleExtent(ZOOMS)
    .filter((event) => !event.button && (event.type === "wheel" || !(isDrawing() || event.shiftKey)))
    .on("start", () => { moves = true; })
    .on("zoom", (event) => {
      at = event.transform;
      isMoved ||= Boolean(event.sourceEvent);
      next(slide);
    })
    .on("end", () => {
      moves = false;
      if (drawn && (drawn.isWide || drawn.at !== at)) redraw();
      if (isMoved && view.isConnected) keepPlace();
    });
  const target = window.d3.select(view).call(zoom).on("dblclick.zoom", null);

  const size = () => [view.clientWidth, view.clientHeight];
  const next = (action) => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(action);
  };
  const redraw = () => next(() => draw());

  function draw(isWide = false) {
    if (!data || !canvas.isConnected) return;
    drawMap(canvas, { data, at, size: size(), isWide, scale: SCALE, chosen: data.index.get(params.w),
      marked, lasso, polygon: polygonOf(params.sel), documents: params.docs === "1" });
    drawn = { at, isWide };
    canvas.style.translate = "none";
  }

  /** Move the canvas as it is, and draw it again only where it ends: drawing takes most of a frame. */
  function slide() {
    const isMoved = moves && drawn?.at.k === at.k;
    const by = isMoved ? [at.x - drawn.at.x, at.y - drawn.at.y] : [0, 0];
    const reach = reachOf(size());
    if (!isMoved || !drawn.isWide || by.some((d, axis) => Math.abs(d) > reach[axis])) draw(isMoved);
    else canvas.style.translate = by.map((d) => `${wholePixels(d)}px`).join(" ");
  }

  // Pixels to places on the map
  const toMap = ([x, y]) => {
    const [width, height] = size();
    return [at.invertX(x) / width, at.invertY(y) / height]
      .map((part) => Math.round(Math.min(2, Math.max(-1, part)) * SCALE));
  };
  function keepPlace() {
    isMoved = false;
    const [x, y] = toMap(size().map((length) => length / 2));
    params = { ...params, at: `${x},${y},${Number(at.k.toFixed(2))}` };
    go("map", params, { shown: true });
    linkClear();
  }
  const clear = h("a", {}, "Clear the selection");
  const linkClear = () => clear.setAttribute("href", link("map", { ...params, sel: undefined }));
  const select = (corners) => {
    const every = Math.ceil(corners.length / CORNERS);
    change({ sel: corners.filter((_, i) => i % every === 0).map(toMap).join(",") });
  };
  const positionOf = (event) => {
    const box = view.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  function nearest(event, { x: xs, y: ys }) {
    const [px, py] = positionOf(event);
    const [width, height] = size();
    let best = null;
    let least = NEAR ** 2;
    for (let i = 0; i < xs.length; i += 1) {
      const distance = (at.applyX((xs[i] / SCALE) * width) - px) ** 2 +
        (at.applyY((ys[i] / SCALE) * height) - py) ** 2;
      if (distance < least) [best, least] = [i, distance];
    }
    return best;
  }

  function viewOf(x, y, k) {
    const [width, height] = size();
    return window.d3.zoomIdentity.translate(width / 2, height / 2).scale(k)
      .translate(-(x / SCALE) * width, -(y / SCALE) * height);
  }

  function flyTo(i) {
    const to = viewOf(data.x[i], data.y[i], Math.max(at.k, 8));
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    (still ? target : target.transition().duration(600)).call(zoom.transform, to);
  }

  view.addEventListener("pointerdown", (event) => {
    if (!data || event.button || !(isDrawing() || event.shiftKey)) return;
    lasso = [positionOf(event)];
    view.setPointerCapture(event.pointerId);
  });
  view.addEventListener("pointermove", (event) => {
    if (!data) return;
    if (lasso) {
      const [x, y] = positionOf(event);
      const [lastX, lastY] = lasso.at(-1);
      if (Math.hypot(x - lastX, y - lastY) >= STEP) lasso.push([x, y]);
      redraw();
      return;
    }
    const i = event.buttons ? null : nearest(event, data);
    pointed.hidden = i === null;
    if (i === null) return;
    pointed.textContent = data.words[i];
    const [x, y] = positionOf(event);
    const [width] = size();
    pointed.classList.toggle("left", x > width / 2);
    pointed.style.setProperty("left", `${x}px`);
    pointed.style.setProperty("top", `${y}px`);
  });
  view.addEventListener("pointerleave", () => { pointed.hidden = true; });
  view.addEventListener("pointerup", () => {
    const corners = lasso;
    lasso = null;
    if (corners?.length > 2) select(corners);
    else redraw();
  });
  view.addEventListener("pointercancel", () => { lasso = null; redraw(); });
  view.addEventListener("click", (event) => {
    if (!data || isDrawing() || event.shiftKey) return;
    const i = nearest(event, data);
    const document = params.docs === "1" ? nearest(event, data.documents) : null;
    if (i !== null) go("word", { w: data.words[i] });
    else if (document !== null) go("documents", { like: data.documents.places[document] });
  });
  view.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    if (moves[event.key]) target.call(zoom.translateBy, ...moves[event.key].map((d) => d / at.k));
    else if (event.key === "+" || event.key === "=") target.call(zoom.scaleBy, 1.4);
    else if (event.key === "-") target.call(zoom.scaleBy, 1 / 1.4);
    else if (event.key === "0") target.call(zoom.transform, window.d3.zoomIdentity);
    else if (event.key === "Escape" && params.sel) change({ sel: undefined });
    else return;
    if (event.key !== "Escape") keepPlace();
    event.preventDefault();
  });
  new ResizeObserver(redraw).observe(view);
  new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });

  function showSelection(answer) {
    const nothing = !answer.n_words && !answer.n_documents;
    const documents = answer.n_documents
      ? ` and ${plural(answer.n_documents, "document", "documents")}` : "";
    panel.replaceChildren(
      h("h2", {}, `Selected: ${plural(answer.n_words, "word", "words")}${documents}`),
      h("p", {}, clear, " ",
        nothing ? null : saveTable("Selected words", [["word"], ...answer.words.map((word) => [word])])),
      nothing ? note("There is nothing here.") : h("div", { class: "pair" },
        h("div", { class: "card" }, h("h3", {}, "Words"), h("p", {}, wordList(answer.words)),
          answer.documents.length ? h("div", {}, h("h3", {}, "Documents"), h("ul", { class: "shared" },
            answer.documents.map((row) => h("li", {},
              h("a", { href: link("documents", { like: row.place }) }, row.id), " ",
              h("span", { class: "usage" }, beginning(row.text ?? "", 120))))),
          h("p", { class: "saves" }, saveTable("Selected documents",
            [["id", "text"], ...answer.documents.map((row) => [row.id, row.text])]))) : null),
        h("div", { class: "card" }, h("h3", {}, "What sets them apart"),
          savable(codeGrid(model.n_cells, [["on", answer.code]], "What a selection has in common",
            { small: true, named: true })),
          h("ul", { class: "near" }, answer.cells.map((cell) =>
            h("li", { "--part": cell.share.toFixed(3) },
              h("a", { href: linkCell(cell.cell) }, cell.name || `Cell ${cell.cell}`),
              h("small", {}, `${percent(cell.share)} have it`)))),
          answer.cells.length ? h("p", { class: "saves" }, saveTable("Cells of the selection",
            [["cell", "name", "share"],
              ...answer.cells.map((cell) => [cell.cell, cell.name, cell.share])])) : null)));
  }

  async function showMarked() {
    marked = new Set();
    if (data.index.has(params.w)) {
      const near = (await askMarked("word", { word: params.w, n_neighbours: 30 })).neighbours ?? [];
      near.forEach(({ word }) => marked.add(data.index.get(word)));
    } else if (/^\d{1,7}$/.test(params.cell ?? "") && Number(params.cell) < model.n_cells) {
      const cell = await askMarked("cell", { cell: Number(params.cell), n_words: 60 });
      cell.in_codes_of.forEach((word) => marked.add(data.index.get(word)));
    }
    marked.delete(undefined);
    canvas.dataset.marked = String(marked.size);
    redraw();
  }

  async function update(given) {
    const before = params;
    params = given;
    shows.checked = params.docs === "1";
    if (!data) {
      status.replaceChildren(note("Drawing the map: this may take half a minute at first."));
      try {
        kept ??= await ask("map");
      } catch (error) {
        if (error.status === 401) throw error;
        status.replaceChildren(failure(error));
        return;
      }
      data = prepare(kept, model);
      status.replaceChildren();
    }
    const n = data.documents.places.length;
    layer.hidden = !shows.checked;
    layer.textContent = n < model.n_documents
      ? `${count(n)} of ${count(model.n_documents)} documents` : plural(n, "document", "documents");
    const found = data.index.get(params.w);
    const all = h("a", { href: link("map") }, "Show all");
    if (found !== undefined) {
      told.replaceChildren("Here is ", h("a", { href: linkWord(params.w) }, params.w),
        ", with its nearest words. ", all);
    } else if (params.w) {
      told.replaceChildren("“", h("bdi", {}, params.w), "” is not on the map.");
    } else if (params.cell) {
      told.replaceChildren("Words whose codes contain cell ", h("a", { href: linkCell(params.cell) },
        nameOf(Number(params.cell)) || params.cell), ". ", all);
    } else {
      told.replaceChildren(`${count(data.words.length)} words; similar ones lie together. ` +
        "Click one to open it, or draw a selection (hold Shift) to see what its words have in common.");
    }
    const place = placeOf(params.at);
    const isLeft = before.at !== undefined && params.at === undefined;
    if (place && params.at !== before.at) target.call(zoom.transform, viewOf(...place));
    else if (!place && found !== undefined && (params.w !== before.w || isLeft)) flyTo(found);
    else if (isLeft) target.call(zoom.transform, window.d3.zoomIdentity);
    linkClear();
    redraw();
    try {
      if (params.w !== before.w || params.cell !== before.cell) await showMarked();
      const polygon = polygonOf(params.sel);
      if (!polygon) panel.replaceChildren();
      else if (params.sel !== before.sel) showSelection(await askSelection("selection", { polygon }));
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status === 401) throw error;
      panel.replaceChildren(failure(error));
    }
  }

  return { update, title: () => "Map of words" };
}
