// Documents of an index: found as one types, with the words that made them match.

import { latest } from "./api.js";
import { beginning, count, cut, h, later, percent, plural } from "./dom.js";
import { codeGrid, failure, note, regionsOf, wordList } from "./parts.js";
import { saveTable } from "./save.js";
import { go, link } from "./state.js";

/** A text, the words that made it match in bold. */
function marked(text, words) {
  const wanted = new Set(words);
  const paragraph = h("p", {}, text.split(/([\p{L}\p{N}_]+)/u)
    .map((part) => (wanted.has(part.toLowerCase()) ? h("b", {}, part) : part)));
  paragraph.normalize();
  return paragraph;
}

export function documentsView(root, model) {
  const ask = latest();
  let params = {};
  const box = h("input", {
    id: "query", type: "search", maxlength: 2000, placeholder: "Search the documents",
    "aria-label": "Search the documents", autocomplete: "off", spellcheck: "false",
  });
  const body = h("div", { "aria-live": "polite" });
  const tabs = h("p", { class: "tabs" });
  box.addEventListener("input", later(150, () =>
    go("documents", { q: box.value }, { replace: Boolean(params.q) }), box));
  root.append(h("h1", { tabindex: -1 }, "Documents"), tabs, box, body);

  const entry = (row) => h("li", { class: "card" },
    h("div", {},
      h("h2", {}, h("a", { href: link("documents", { like: row.place }) }, row.id),
        h("small", {}, `${percent(row.score)} similar${row.duplicate ? ", nearly the same" : ""}`)),
      row.text === null ? null : marked(row.text, row.because),
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
    box.hidden = params.same === "1";
    tabs.replaceChildren(...model.n_documents === null ? [] : [["Search", {}], ["Near-duplicates", { same: 1 }]]
      .map(([text, to]) => h("a", { href: link("documents", to),
        "aria-current": Boolean(to.same) === (params.same === "1") ? "page" : null }, text)),
    model.n_documents === null ? "" : h("a", { href: link("map", { docs: 1 }) }, "On the map"));
    if (model.n_documents === null) {
      body.replaceChildren(note(model.read_only ? "This copy of the page has no documents."
        : "No index is open. Start the page with --index notes.idx."));
      return;
    }
    try {
      if (params.same === "1") await showDuplicates();
      else if (params.like !== undefined) {
        const place = /^\d{1,9}$/.test(params.like) ? Number(params.like) : 999999999;
        const answer = await ask("document", { place });
        body.replaceChildren(
          h("h2", {}, answer.id),
          h("div", { class: "pair codes" },
            h("p", {}, beginning(answer.text, 2000)),
            h("div", {}, codeGrid(model.n_cells, [["on", answer.code]], `The code of ${answer.id}`),
              regionsOf(answer.code, model))),
          h("h2", {}, "More like this"), list(answer.results));
      } else if (params.q) {
        const answer = await ask("documents", { query: cut(params.q, 2000) });
        body.replaceChildren(answer.known ? list(answer.results) : note("The model knows none of these words."));
      } else {
        body.replaceChildren(note(`${plural(model.n_documents, "document", "documents")}. Type what you are ` +
          "looking for, in any words: documents on the same subject are found even without them. For example: ",
        model.examples.slice(0, 6).map((word, i) => [i ? ", " : "",
          h("a", { href: link("documents", { q: word }) }, word)]), "."));
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status === 401) throw error;
      body.replaceChildren(failure(error));
    }
  }

  return { update, title: () => "Documents" };
}
