// Answers of a page without a server: from files that `skfly explore --static` wrote.

import { Refused } from "./api.js";

const CELLS_IN_LISTS = 8; // words of a cell there
const folder = document.querySelector('meta[name="skfly-data"]')?.getAttribute("content");
const loaded = new Map();

function load(name) {
  if (!loaded.has(name)) {
    loaded.set(name, (async () => {
      const response = await fetch(folder + name).catch(() => null);
      if (!response?.ok) throw new Refused(0, `${name} cannot be read from this web server.`);
      return name.endsWith(".bin") ? new Uint8Array(await response.arrayBuffer()) : response.json();
    })());
    loaded.get(name).catch(() => loaded.delete(name));
  }
  return loaded.get(name);
}

/** The words and their packed codes. */
async function dictionary() {
  const [{ words, counts }, bits] = await Promise.all([load("words.json"), load("codes.bin")]);
  const width = words.length ? bits.length / words.length : 0;
  dictionary.index ??= new Map(words.map((word, i) => [word, i]));
  const row = (i) => bits.subarray(i * width, (i + 1) * width);
  return { words, counts, row, index: dictionary.index };
}

const COUNTS = Uint8Array.from({ length: 256 }, (_, byte) => {
  let ones = 0;
  for (let rest = byte; rest; rest &= rest - 1) ones += 1;
  return ones;
});

function shared(left, right) {
  let ones = 0;
  for (let i = 0; i < left.length; i += 1) ones += COUNTS[left[i] & right[i]];
  return ones;
}

const has = (row, cell) => Boolean(row[cell >> 3] & (128 >> (cell & 7)));

function cellsOf(row) {
  const found = [];
  for (let cell = 0; cell < row.length * 8; cell += 1) if (has(row, cell)) found.push(cell);
  return found;
}

const about = (all, i) => ({ word: all.words[i], count: all.counts[i], rank: i + 1 });

const beginning = (all, text, most) =>
  all.words.filter((word) => word.startsWith(text)).slice(0, most);

function wordOf(all, given) {
  const word = all.index.has(given) ? given : given.trim().toLowerCase();
  const i = all.index.get(word);
  if (i === undefined) {
    let alike = [];
    for (let n = word.length; n > 1 && !alike.length; n -= 1) alike = beginning(all, word.slice(0, n), 8);
    return { word: given, known: false, code: [], alike };
  }
  return { ...about(all, i), known: true, code: cellsOf(all.row(i)) };
}

function neighbours(all, word, most) {
  const own = all.index.get(word);
  const row = all.row(own);
  const scores = all.words.map((_, i) => (i === own ? -1 : shared(row, all.row(i))));
  return [...scores.keys()].sort((a, b) => scores[b] - scores[a] || a - b).slice(0, most)
    .map((i) => ({ ...about(all, i), n_shared: scores[i] }));
}

const listed = (cell) => ({ ...cell, words: cell.words.slice(0, CELLS_IN_LISTS) });

/** Which points lie in a polygon: the even-odd rule. */
function inside(polygon, x, y) {
  let found = false;
  polygon.forEach(([ax, ay], i) => {
    const [bx, by] = polygon[(i || polygon.length) - 1];
    if ((ay > y) !== (by > y) && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) found = !found;
  });
  return found;
}

async function selection({ polygon }) {
  const [map, all, { cells }, model] = await Promise.all(
    [load("map.json"), dictionary(), load("cells.json"), load("model.json")]);
  const stop = new Set(map.stop);
  const chosen = map.words.map((_, i) => i).filter((i) => inside(polygon, map.x[i], map.y[i]));
  const counts = (places) => {
    const found = new Float64Array(model.n_cells);
    for (const i of places) {
      for (const cell of cellsOf(all.row(all.index.get(map.words[i])))) found[cell] += 1;
    }
    return found;
  };
  const found = counts(chosen);
  selection.everywhere ??= counts(map.words.keys());
  const surplus = found.map((n, cell) =>
    n * map.words.length - selection.everywhere[cell] * chosen.length);
  const code = [...surplus.keys()].filter((cell) => surplus[cell] > 0)
    .sort((a, b) => surplus[b] - surplus[a] || a - b).slice(0, model.hash_length);
  return {
    n_words: chosen.length,
    words: chosen.filter((i) => !stop.has(i)).slice(0, 40).map((i) => map.words[i]),
    n_documents: 0,
    documents: [],
    cells: code.slice(0, 12).map((cell) => ({ cell, name: cells[cell].name,
      region: cells[cell].region, share: found[cell] / chosen.length })),
    code: [...code].sort((a, b) => a - b),
  };
}

const only = (what) => {
  throw new Refused(422, `This copy of the page is read-only: it can answer the examples on the first page, but not ${what} of your own. Run “skfly explore” with the model for that.`);
};

const withCells = (answer, fields) => ({ ...answer, cells: answer.cells.slice(0, fields.n_cells ?? 4) });

const ANSWERS = {
  model: () => load("model.json"),
  map: () => load("map.json"),
  selection,
  async search({ query, n_words: most = 20 }) {
    const all = await dictionary();
    const wanted = query.trim().toLowerCase();
    if (!wanted) return { query, words: [] };
    const first = beginning(all, wanted, most);
    const rest = all.words.filter((word) => word.includes(wanted) && !word.startsWith(wanted));
    return { query, words: [...first, ...rest].slice(0, most).map((word) =>
      about(all, all.index.get(word))) };
  },
  async word({ word, other, n_neighbours: most = 12 }) {
    const all = await dictionary();
    const found = wordOf(all, word);
    if (found.known) found.neighbours = neighbours(all, found.word, most);
    if (other === undefined) return found;
    const [{ cells, orders }, { hash_length: length }] =
      await Promise.all([load("cells.json"), load("model.json")]);
    found.other = wordOf(all, other);
    const both = orders.specific.filter((cell) =>
      found.code.includes(cell) && found.other.code.includes(cell));
    return { ...found, shared: both.map((cell) => listed(cells[cell])), similarity: both.length / length };
  },
  async cells({ order = "used", offset = 0, n_cells: most = 24 }) {
    const { cells, orders } = await load("cells.json");
    const some = orders[order].slice(offset, offset + most);
    return { order, offset, n_cells: orders[order].length, cells: some.map((n) => listed(cells[n])) };
  },
  async cell({ cell, n_words: most = 30, stop_words: stop = false }) {
    const [{ cells, stop_words: everyday }, all] = await Promise.all([load("cells.json"), dictionary()]);
    const left = new Set(stop ? [] : everyday);
    const having = all.words.filter((word, i) => has(all.row(i), cell) && !left.has(word)).slice(0, most);
    const words = (stop ? cells[cell].stop : cells[cell].words).slice(0, most);
    return { ...cells[cell], words, in_codes_of: having };
  },
  async sentence(fields) {
    const { sentence } = await load("examples.json");
    return withCells(Object.hasOwn(sentence, fields.text) ? sentence[fields.text] : only("sentences"), fields);
  },
  async context({ text, place }) {
    const { context } = await load("examples.json");
    const answers = Object.hasOwn(context, text) ? context[text] : only("sentences");
    return answers[place] ?? only("targets");
  },
  async compare(fields) {
    const { compare } = await load("examples.json");
    const found = compare.find(({ left, right }) => left === fields.left && right === fields.right);
    return withCells((found ?? only("sentences")).answer, fields);
  },
};

export async function answer(path, fields) {
  if (!Object.hasOwn(ANSWERS, path)) throw new Refused(422, "This copy of the page is read-only.");
  // what was given away may be changed
  return structuredClone(await ANSWERS[path](fields));
}
