// Documents of an index: found as one types, with the words that made them match.

import { latest } from "./api.js";
import { beginning, count, cut, h, later, percent, plural } from "./dom.js";
import { codeGrid, failure, note, wordList } from "./parts.js";
import { saveTable } from "./save.js";
import { go, link } from "./state.js";

export function documentsView(root, model) {
  const ask = latest();
  let params = {};
  const box = h("input", {
    id: "query", type: "search", maxlength: 2000, placeholder: "Search the documents",
    "aria-label": "Search the documents", autocomplete: "off", spellcheck: "false",
  });
  const body = h("div", { "aria-live": "polite" });
  const near = h("p", { class: "tabs", hidden: model.n_documents === null },
    h("a", { href: link("documents", { same: 1 }) }, "Near-duplicates"),
    h("a", { href: link("map", { docs: 1 }) }, "On the map"));
  box.addEventListener("input", later(150, () =>
    go("documents", { q: box.value }, { replace: Boolean(params.q) })));
  root.append(h("h1", { tabindex: -1 }, "Documents"), box,
    near, body);

  const entry = (row) => h("li", { class: "card" },
    h("div", {},
      h("h2", {}, h("a", { href: link("documents", { like: row.place }) }, row.id),
        h("small", {}, row.duplicate ? `${percent(row.score)}, nearly the same` : percent(row.score))),
      row.text === null ? null : h("p", {}, row.text),
      row.because.length ? h("p", { class: "usage" }, "matched by ", wordList(row.because)) : null),
    row.code.length
      ? codeGrid(model.n_cells, [["on", row.code]], `The code of ${row.id}`, { small: true }) : null);
  const list = (rows) => h("div", {},
    h("p", { class: "saves" }, saveTable("Documents", [["id", "score", "because", "text"],
      ...rows.map((row) => [row.id, row.score, row.because.join(" "), row.text])])),
    h("ol", { class: "results" }, rows.map(entry)));
  const group = ({ size, documents }) => h("li", { class: "card" },
    h("h2", {}, `${size} documents that are nearly the same`),
    documents[0].text === null ? null : h("p", {}, documents[0].text),
    h("p", { class: "usage" }, documents.map((row, i) => [i ? ", " : "",
      h("a", { href: link("documents", { like: row.place }) }, row.id)]),
    size > documents.length ? ` and ${count(size - documents.length)} more` : ""));

  async function showDuplicates() {
    body.replaceChildren(note("Comparing all documents: if there are very many, this may take minutes."));
    const answer = await ask("duplicates");
    body.replaceChildren(answer.n_groups
      ? h("div", {},
        h("p", { class: "lead" }, `${plural(answer.n_documents, "document", "documents")} in ` +
          `${plural(answer.n_groups, "group", "groups")} share nine cells of ten with another. `,
        saveTable("Near duplicates", [["group", "id"], ...answer.groups.flatMap((one, i) =>
          one.documents.map((row) => [i + 1, row.id]))])),
        h("ol", { class: "results groups" }, answer.groups.map(group)))
      : note("No two documents are nearly the same."));
  }


  async function update(given) {
    params = given;
    if (document.activeElement !== box) box.value = params.q ?? "";
    if (model.n_documents === null) {
      body.replaceChildren(note(model.read_only ? "This copy of the page has no documents."
        : "No index is open. Start the page with --index notes.idx."));
      return;
    }
    try {
      near.hidden = params.same === "1";
      if (params.same === "1") await showDuplicates();
      else if (params.like !== undefined) {
        const place = /^\d{1,9}$/.test(params.like) ? Number(params.like) : 999999999;
        const answer = await ask("document", { place });
        body.replaceChildren(
          h("h2", {}, answer.id), h("p", {}, beginning(answer.text, 2000)),
          codeGrid(model.n_cells, [["on", answer.code]], `The code of ${answer.id}`),
          h("h2", {}, "More like this"), list(answer.results));
      } else if (params.q) {
        const answer = await ask("documents", { query: cut(params.q, 2000) });
        body.replaceChildren(answer.known ? list(answer.results) : note("The model knows none of these words."));
      } else {
        body.replaceChildren(note(`${count(model.n_documents)} documents. Type what you are looking for.`));
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status === 401) throw error;
      body.replaceChildren(failure(error));
    }
  }

  return { update, title: () => "Documents" };
}
