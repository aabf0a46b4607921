// The cells: most used, most specific, dead; and one of them.

import { latest } from "./api.js";
import { cloud } from "./cloud.js";
import { count, h, later } from "./dom.js";
import { cloudControls, codeGrid, failure, nameOf, note, usage, wordList } from "./parts.js";
import { savable, saveTable } from "./save.js";
import { go, link, linkCell, numberOf } from "./state.js";

const ORDERS = { specific: "Most specific", used: "Most used", dead: "Dead" };
const PAGE = 24;
const EXPLAINED = {
  specific: "Those that the fewest words excite, mostly on one subject.",
  used: "Those in the codes of the most words, which often have little in common.",
  dead: "In no word's code: they never win.",
};

export function cellsView(root, model) {
  const ask = latest();
  let params = {};
  const tabs = h("div", { class: "tabs" });
  const body = h("div", { "aria-live": "polite" });
  root.append(h("h1", { tabindex: -1 }, `${count(model.n_cells)} Kenyon cells`), tabs, body);

  const entry = (cell) => h("li", { class: "card" },
    h("a", { class: `number name r${cell.region}`, href: linkCell(cell.cell) },
      cell.name || `Cell ${cell.cell}`), " ", h("small", { class: "usage" }, `cell ${cell.cell}`),
    h("p", {}, wordList(cell.words.map(([word]) => word))), usage(cell));

  function show(answer) {
    if (!answer.n_cells) {
      body.replaceChildren(note(answer.order === "dead"
        ? "No cell is dead: each is in some word's code." : "No cell is in use."));
      return;
    }
    const page = (offset, text) => h("a", {
      href: link("cells", { order: answer.order, from: offset || undefined }) }, text);
    const last = Math.min(answer.offset + PAGE, answer.n_cells);
    body.replaceChildren(
      h("p", { class: "lead" }, EXPLAINED[answer.order], " ",
        saveTable(`Cells ${answer.order}`, [["cell", "name", "words", "n_used", "share_used", "breadth"],
          ...answer.cells.map((cell) => [cell.cell, cell.name,
            cell.words.map(([word]) => word).join(" "), cell.n_used, cell.share_used, cell.breadth])])),
      answer.cells.length
        ? h("ul", { class: "list" }, answer.cells.map(entry))
        : note("There are no more."),
      h("p", { class: "pages" },
        answer.offset > 0 ? page(Math.max(0, answer.offset - PAGE), "← before") : null,
        h("span", {}, `${Math.min(answer.offset + 1, last)}–${last} of ${count(answer.n_cells)}`),
        last < answer.n_cells ? page(last, "more →") : null),
    );
  }

  async function update(given) {
    params = given;
    const order = Object.hasOwn(ORDERS, params.order ?? "") ? params.order : "specific";
    tabs.replaceChildren(...Object.entries(ORDERS).map(([name, text]) => h("a", {
      href: link("cells", { order: name }), "aria-current": name === order ? "page" : null },
    name === "dead" ? `${text} (${model.n_dead_cells})` : text)));
    try {
      const offset = Math.round(numberOf(params.from, 0, 0, 2147483647));
      show(await ask("cells", { order, offset, n_cells: PAGE }));
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status === 401) throw error;
      body.replaceChildren(failure(error));
    }
  }

  return { update, title: () => "Cells" };
}

export function cellView(root, model) {
  const ask = latest();
  let params = {};
  const title = h("h1", { tabindex: -1 });
  const controls = h("div");
  const body = h("div", { "aria-live": "polite" });
  root.append(title, controls, body);
  const tune = later(120, (changes) => go("cell", { ...params, ...changes }, { replace: true }), title);

  const passages = h("section", { "aria-live": "polite" });
  const askPassages = latest();

  async function showPassages(cell) {
    if (model.n_documents === null) return;
    passages.replaceChildren();
    const found = (await askPassages("passages", { cell })).passages;
    passages.replaceChildren(h("h2", {}, "Passages that excite it"),
      found.length
        ? h("div", {}, h("ul", { class: "passages" }, found.map((row) => h("li", { class: "card" },
          h("p", {}, row.text),
          h("p", { class: "usage" }, "matched by ", wordList(row.words), ", in ",
            h("a", { href: link("documents", { like: row.place }) }, row.id))))),
        h("p", { class: "saves" }, saveTable(`Passages of cell ${cell}`, [["id", "words", "text"],
          ...found.map((row) => [row.id, row.words.join(" "), row.text])])))
        : note("No document contains its words."));
  }

  async function update(given) {
    params = given;
    const name = nameOf(params.n);
    title.textContent = `Cell ${params.n ?? ""}${name ? `: ${name}` : ""}`;
    const temperature = numberOf(params.t, 0.1, 0.01, 2);
    if (!controls.contains(document.activeElement)) {
      controls.replaceChildren(cloudControls({
        temperature, stopWords: params.stop === "1", change: tune }));
    }
    const cell = /^\d+$/.test(params.n ?? "") ? Number(params.n) : NaN;
    if (!(cell < model.n_cells)) {
      body.replaceChildren(
        failure({ message: `There is no cell ${params.n ?? ""}: the model has cells 0 to ` +
          `${model.n_cells - 1}.` }),
        note("They are listed under ", h("a", { href: link("cells") }, "Cells"), "."));
      return;
    }
    const steps = [[cell - 1, `← cell ${cell - 1}`], [cell + 1, `cell ${cell + 1} →`]];
    try {
      const answer = await ask("cell", {
        cell, temperature, n_words: 40, stop_words: params.stop === "1" });
      body.replaceChildren(
        h("div", { class: "pair" },
        h("div", { class: `card big r${answer.region}` }, savable(cloud(answer.cell, answer.words),
          saveTable(`Words of cell ${answer.cell}`, [["word", "probability"], ...answer.words]))),
        h("div", { class: "card" },
          savable(codeGrid(model.n_cells, [["on", [answer.cell]]], `Where cell ${answer.cell} lies`,
            { small: true, named: true })),
          usage(answer))),
        passages,
        h("h2", {}, "Frequent words with this cell in their codes"),
        answer.in_codes_of.length
          ? h("p", {}, wordList(answer.in_codes_of),
            answer.n_used > answer.in_codes_of.length
              ? ` and ${count(answer.n_used - answer.in_codes_of.length)} more` : "", ". ",
          h("a", { href: link("map", { cell: answer.cell }) }, "Show them on the map"))
          : note("No word has it: the cell is dead."),
        h("p", { class: "pages" }, steps.filter(([n]) => n >= 0 && n < model.n_cells)
          .map(([n, text]) => h("a", { href: linkCell(n) }, text))),
      );
      await showPassages(cell);
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status === 401) throw error;
      body.replaceChildren(failure(error));
    }
  }

  return { update, title: () => `Cell ${params.n}` };
}
