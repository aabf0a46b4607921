// A map of the words on a canvas; zooming and panning are d3-zoom's.

import { ask } from "./api.js";
import { count, h } from "./dom.js";
import { failure, note } from "./parts.js";
import { go, link, linkWord } from "./state.js";

const LABELS = 160; // at most, at a time
const NEAR = 14; // pixels between a press and a word
const FONT = "600 13px system-ui, sans-serif";
let kept = null;

export function mapView(root, model) {
  let params = {};
  let data = null;
  let at = window.d3.zoomIdentity;
  let frame = 0;
  const canvas = h("canvas", { tabindex: 0, role: "img",
    "aria-label": "Map of words; search above flies to a word. Arrow keys move it, plus and minus zoom." });
  const told = h("p", { class: "lead", "aria-live": "polite" });
  const holder = h("div", { class: "map" }, canvas);
  const status = h("div");
  root.append(h("h1", { tabindex: -1 }, "Map of words"), told, status, holder,
    h("p", { class: "legend" }, model.region_names.map((name, i) =>
      h("span", { class: `region r${i}` }, name))));
  const zoom = window.d3.zoom().scaleExtent([0.8, 60]).on("zoom", (event) => {
    at = event.transform;
    redraw();
  });
  const target = window.d3.select(canvas).call(zoom);

  const size = () => [canvas.clientWidth, canvas.clientHeight];
  const place = (i) => {
    const [width, height] = size();
    return [at.applyX((data.x[i] / 10000) * width), at.applyY((data.y[i] / 10000) * height)];
  };
  const redraw = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(draw);
  };

  function draw() {
    if (!data || !canvas.isConnected) return;
    const [width, height] = size();
    const scale = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
    if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const style = getComputedStyle(document.documentElement);
    const colours = model.region_names.map((_, i) => style.getPropertyValue(`--r${i}`).trim());
    const dot = Math.min(4, 1.6 * Math.sqrt(at.k));
    const seen = [];
    for (let region = 0; region < colours.length; region += 1) {
      pen.fillStyle = colours[region];
      for (const i of data.of[region]) {
        const [x, y] = place(i);
        if (x < 0 || y < 0 || x > width || y > height) continue;
        pen.fillRect(x - dot / 2, y - dot / 2, dot, dot);
        seen.push(i);
      }
    }
    label(pen, seen, colours, style, width);
  }

  function label(pen, seen, colours, style, width) {
    pen.font = FONT;
    pen.textAlign = "center";
    pen.lineWidth = 3;
    pen.strokeStyle = style.getPropertyValue("--card").trim();
    const taken = new Set();
    const chosen = data.index.get(params.w);
    const order = seen.filter((i) => !data.isStop.has(i)).sort((a, b) => a - b);
    if (chosen !== undefined) order.unshift(chosen);
    let drawn = 0;
    for (const i of order) {
      if (drawn >= LABELS) break;
      const [x, y] = place(i);
      const half = pen.measureText(data.words[i]).width / 2 + 3;
      const boxes = [];
      for (let cx = Math.floor((x - half) / 16); cx <= Math.floor((x + half) / 16); cx += 1) {
        for (let cy = Math.floor((y - 18) / 9); cy <= Math.floor(y / 9); cy += 1) boxes.push(cx * 4096 + cy);
      }
      if (x - half < 0 || x + half > width || boxes.some((box) => taken.has(box))) continue;
      boxes.forEach((box) => taken.add(box));
      pen.fillStyle = i === chosen ? style.getPropertyValue("--accent").trim() : colours[data.regions[i]];
      pen.strokeText(data.words[i], x, y - 5);
      pen.fillText(data.words[i], x, y - 5);
      if (i === chosen) {
        pen.beginPath();
        pen.arc(x, y, 6, 0, 7);
        pen.fill();
      }
      drawn += 1;
    }
    canvas.dataset.labels = String(drawn);
  }

  function nearest(event) {
    const box = canvas.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let best = null;
    let least = NEAR ** 2;
    data.words.forEach((_, i) => {
      const [x, y] = place(i);
      const distance = (x - px) ** 2 + (y - py) ** 2;
      if (distance < least) [best, least] = [i, distance];
    });
    return best;
  }

  function flyTo(i) {
    const [width, height] = size();
    const k = Math.max(at.k, 8);
    const to = window.d3.zoomIdentity.translate(width / 2, height / 2).scale(k)
      .translate(-(data.x[i] / 10000) * width, -(data.y[i] / 10000) * height);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    (still ? target : target.transition().duration(600)).call(zoom.transform, to);
  }

  canvas.addEventListener("click", (event) => {
    const i = data && nearest(event);
    if (i !== null && i !== undefined) go("word", { w: data.words[i] });
  });
  canvas.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    if (moves[event.key]) target.call(zoom.translateBy, ...moves[event.key].map((d) => d / at.k));
    else if (event.key === "+" || event.key === "=") target.call(zoom.scaleBy, 1.4);
    else if (event.key === "-") target.call(zoom.scaleBy, 1 / 1.4);
    else return;
    event.preventDefault();
  });
  new ResizeObserver(redraw).observe(canvas);
  new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });

  async function update(given) {
    params = given;
    if (!data) {
      status.replaceChildren(note("Drawing the map: this may take half a minute at first."));
      try {
        kept ??= await ask("map");
      } catch (error) {
        if (error.status === 401) throw error;
        status.replaceChildren(failure(error));
        return;
      }
      data = { ...kept, index: new Map(kept.words.map((word, i) => [word, i])),
        isStop: new Set(kept.stop), of: model.region_names.map(() => []) };
      data.regions.forEach((region, i) => data.of[region].push(i));
      status.replaceChildren();
    }
    told.replaceChildren(`${count(data.words.length)} words; those of similar codes lie together. Press ` +
      "one to open it.");
    const found = data.index.get(params.w);
    if (found !== undefined) {
      told.replaceChildren("Here is ", h("a", { href: linkWord(params.w) }, params.w), ". ",
        h("a", { href: link("map") }, "Show all"));
      flyTo(found);
    } else if (params.w) {
      told.replaceChildren(`“${params.w}” is not on the map.`);
    }
    redraw();
  }

  return { update, title: () => "Map of words" };
}
