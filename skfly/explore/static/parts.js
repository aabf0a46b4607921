// Pieces that several views show.

import { cloud } from "./cloud.js";
import { count, h, percent, plural, roving, straight, svg } from "./dom.js";
import { savable, saveTable } from "./save.js";
import { link, linkCell, linkWord } from "./state.js";

export const note = (...content) => h("p", { class: "note" }, ...content);

export const failure = (error) => h("p", { class: "note bad", role: "alert" }, error.message);

/** Why a text shows no word. */
export const noWord = (text) =>
  /[\p{L}\p{N}]/u.test(text)
    ? "The model leaves out every word of this text: stop words, perhaps."
    : "There is no word in this text.";

/** Words as links, between commas. */
export const wordList = (words) =>
  words.map((word, i) => [i ? " " : "", h("span", { class: "item" },
    h("a", { href: linkWord(word) }, word), i < words.length - 1 ? "," : "")]);

/** Words of a text, lit by their share; `pick` is called with the place of one. */
export function litWords(words, drives, { chosen = null, pick = null } = {}) {
  const most = Math.max(...drives, 1e-9);
  return h(
    "ol",
    { class: "lit" },
    words.map(({ word, known }, place) => {
      const share = drives[place];
      const inside = [
        h("span", { class: "text" }, word),
        h("small", {}, known ? percent(share) : "unknown"),
      ];
      const properties = {
        class: known ? "word" : "word unknown",
        "--heat": known ? (share / most).toFixed(3) : "0",
        title: known
          ? `${straight(word)}: ${percent(share)} of what drives these cells`
          : `${straight(word)} is not in the vocabulary of this model`,
      };
      return h(
        "li",
        {},
        pick
          ? h(
              "button",
              {
                ...properties,
                type: "button",
                "aria-pressed": String(chosen === place),
                onclick: () => pick(place),
              },
              inside,
            )
          : h("a", { ...properties, href: linkWord(word) }, inside),
      );
    }),
  );
}

export function neighbours(title, found, length, empty, heading = "h3") {
  const rows = found.filter((row) => row.n_shared > 0);
  return h(
    "section",
    { class: "card" },
    h(heading, {}, title, rows.length
      ? saveTable(title, [["word", "shared_cells", "cells", "count", "rank"],
        ...rows.map((row) => [row.word, row.n_shared, length, row.count, row.rank])])
      : null),
    rows.length
      ? h(
          "ol",
          { class: "near" },
          rows.map((row) =>
            h(
              "li",
              { "--part": (row.n_shared / length).toFixed(3) },
              h("a", { href: linkWord(row.word) }, row.word),
              h("small", { title: "cells in common" }, `${row.n_shared} of ${length}`),
            ),
          ),
        )
      : note(empty),
  );
}

/** A cell as a card: its cloud, and how active it is compared to the most active one. */
export function cellCard(cell, { most = null, watch = null } = {}) {
  return h(
    "article",
    {
      class: `card cell r${cell.region}`,
      "data-cell": cell.cell,
      onmouseenter: watch && (() => watch(cell)),
      onmouseleave: watch && (() => watch(null)),
      onfocusin: watch && (() => watch(cell)),
      onfocusout: watch && (() => watch(null)),
    },
    h(
      "h3",
      {},
      h("a", { href: linkCell(cell.cell), class: `name r${cell.region}` },
        cell.name || `Cell ${cell.cell}`),
      most
        ? h(
            "span",
            { class: "activation", title: "activation" },
            h("meter", { min: 0, max: 1, value: cell.activation / most, "aria-label": "activation" }),
            h("small", {}, cell.activation.toFixed(2)),
          )
        : null,
    ),
    savable(cloud(cell.cell, cell.words)),
  );
}

let layout = null;
let names = [];
let regionNames = [];
let isReadOnly = false; // then words of cells are those of one temperature

/** Tells how the cells of the model lie; called once, before any view. */
export function useModel(model) {
  ({ layout, names, region_names: regionNames, read_only: isReadOnly = false } = model);
}

export const nameOf = (cell) => names[cell] ?? "";
export const regionOf = (cell) => layout?.regions[cell] ?? 0;

const SIZE = 10; // of a cell in a picture
const LETTERS = 0.035; // of the width of a picture
const placeOf = (cell) => [
  (layout.places[cell] % layout.columns) * SIZE,
  Math.floor(layout.places[cell] / layout.columns) * SIZE,
];

/** The cells that are not lit, in the faint colours of their regions. */
function ground(nCells) {
  const paths = regionNames.map(() => "");
  for (let cell = 0; cell < nCells; cell += 1) {
    const [x, y] = placeOf(cell);
    paths[regionOf(cell)] += `M${x + 0.5} ${y + 0.5}h9v9h-9z`;
  }
  return paths.map((path, region) => svg("path", { d: path, class: `off r${region}` }));
}

/** The names of the regions, in the middle of each: the same in all pictures. */
function regionLabels() {
  const inside = regionNames.map(() => []);
  const size = LETTERS * layout.columns * SIZE;
  layout.regions.forEach((region, cell) => inside[region].push(cell));
  return inside.map((cells, region) => {
    const [text] = regionNames[region].split(", ");
    const half = 0.36 * size * text.length;
    if (!text || cells.length < 0.02 * layout.regions.length) return null;
    const [x, y] = [0, 1].map((axis) =>
      cells.reduce((sum, cell) => sum + placeOf(cell)[axis] + SIZE / 2, 0) / cells.length);
    const inner = Math.min(Math.max(x, half), Math.max(layout.columns * SIZE - half, half));
    return svg("text", { x: inner.toFixed(1), y: (y + 0.36 * size).toFixed(1),
      class: `r${region}`, "font-size": size, "text-anchor": "middle" }, text);
  });
}

/** All cells in their places; `marks` are pairs of a class and cells, later ones above earlier.
 * Cells of the class "on" have the colour of their region. */
export function codeGrid(nCells, marks, label, { small = false, named = false } = {}) {
  const { rows, columns, places } = layout;
  const kinds = new Map();
  for (const [kind, cells] of marks) for (const cell of cells) kinds.set(cell, kind);
  const lit = [...kinds].sort(([a], [b]) => places[a] - places[b]);
  const square = ([cell, kind]) => {
    const [x, y] = placeOf(cell);
    const box = svg("rect", { x: x + 0.25, y: y + 0.25, width: 9.5, height: 9.5, rx: 2 });
    const properties = { class: `${kind} r${regionOf(cell)}` };
    if (small) return svg("g", properties, box);
    const name = `cell ${cell}: ${nameOf(cell)}`;
    return svg("a", { ...properties, href: linkCell(cell), "aria-label": name },
      svg("title", {}, straight(name)), box);
  };
  const links = lit.map(square);
  const picture = svg(
    "svg",
    {
      class: small ? "grid small" : "grid",
      viewBox: `0 0 ${columns * SIZE} ${rows * SIZE}`,
      role: small ? "img" : "group",
      "aria-label": label,
    },
    ground(nCells),
    links,
    named || !small ? svg("g", { class: "names", "aria-hidden": "true" }, regionLabels()) : null,
  );
  if (small) return picture;
  roving(picture, links);
  return savable(picture);
}

/** The regions with the most cells of a code, by name. */
export function regionsOf(code, model) {
  const often = new Map();
  for (const cell of code) often.set(regionOf(cell), (often.get(regionOf(cell)) ?? 0) + 1);
  const most = [...often].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 4);
  return h("p", { class: "legend" }, most.map(([region, n]) =>
    h("span", { class: `region r${region}` }, `${model.region_names[region] || "no name"} (${n})`)));
}

export const legend = (...entries) =>
  h(
    "p",
    { class: "legend" },
    entries.map(([kind, text]) => h("span", { class: kind }, text)),
  );

export const usage = (cell) =>
  h(
    "p",
    { class: "usage" },
    `In the codes of ${plural(cell.n_used, "word", "words")} (${percent(cell.share_used)}); ` +
      `about ${plural(Math.round(cell.breadth), "word excites", "words excite")} it strongly.`,
  );

const stopSwitch = (shown, change) =>
  h("label", {}, h("input", {
    type: "checkbox", id: "stop-words", checked: shown,
    onchange: (event) => change({ stop: event.target.checked ? "1" : undefined }),
  }), "Stop words");

/** Worked examples of a view, to click. */
export function examplesOf(model, view) {
  const tours = model.tours.filter((tour) => tour.view === view);
  return tours.length ? h("div", {}, "Examples:", h("ul", { class: "examples" },
    tours.map(({ params }) => h("li", {}, h("a", { href: link(view, params) },
      [params.text, params.a, params.b].filter(Boolean).join(" / ")))))) : "";
}

/** What a page without a server cannot do, and the examples that it can. */
export const readOnly = (model, view) => note(
  "This copy of the page is read-only and can only answer its examples. Run ",
  h("code", {}, "skfly explore"), " with the model for any other text.", examplesOf(model, view));

/** Sliders for the number of cells and the temperature of their words. */
export function cloudControls({ cells, temperature, stopWords = false, change }) {
  if (isReadOnly) return stopWords === null ? "" : h("div", { class: "controls" }, stopSwitch(stopWords, change));
  const heat = h("output", {}, temperature.toFixed(3));
  const number = h("output", {}, String(cells ?? ""));
  return h(
    "div",
    { class: "controls" },
    cells === undefined
      ? null
      : h(
          "label",
          {},
          "Cells ",
          h("input", {
            type: "range",
            min: 1,
            max: 12,
            step: 1,
            value: cells,
            id: "n-cells",
            oninput: (event) => {
              number.textContent = event.target.value;
              change({ cells: event.target.value });
            },
          }),
          number,
        ),
    h(
      "label",
      { title: "Lower values concentrate on the strongest words of a cell" },
      "Temperature ",
      h("input", {
        type: "range",
        min: -2,
        max: 0.3,
        step: 0.05,
        value: Math.log10(temperature),
        id: "temperature",
        oninput: (event) => {
          const value = (10 ** Number(event.target.value)).toFixed(3);
          heat.textContent = value;
          change({ t: value });
        },
      }),
      heat,
    ),
    stopSwitch(stopWords, change),
  );
}
