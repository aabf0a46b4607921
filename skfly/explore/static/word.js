// A word: its neighbours, its code, and the cells that it shares with another.

import { latest } from "./api.js";
import { count, cut, h, later, percent, plural } from "./dom.js";
import { codeGrid, failure, legend, neighbours, note, regionsOf, wordList } from "./parts.js";
import { saveTable } from "./save.js";
import { go, link, linkCell } from "./state.js";

export function wordView(root, model) {
  const ask = latest();
  let params = {};
  const title = h("h1", { tabindex: -1 });
  const body = h("div");
  const shared = h("div", { "aria-live": "polite" });
  const box = h("input", {
    id: "other", type: "text", maxlength: 100, placeholder: "another word",
    "aria-label": "Another word", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
  });
  box.addEventListener("input", later(250, () =>
    go("word", { ...params, with: box.value.trim() }, { replace: true }), box));
  const comparing = h("section", {},
    h("h2", {}, h("label", { for: "other" }, "Cells it shares with ")), box, shared);
  root.append(title, body, comparing);

  const unknown = (answer) => note(
    "“", h("bdi", {}, answer.word),
    `” is not among the ${count(model.n_words)} words that this model knows. `,
    answer.alike.length
      ? ["Words with the same beginning: ", wordList(answer.alike), "."]
      : ["It knows, for example, ", wordList(model.examples), "."],
  );

  function showOther(answer) {
    const { other } = answer;
    if (!other.known) {
      shared.replaceChildren(unknown(other));
      return;
    }
    shared.replaceChildren(
      h("p", { class: "score" }, h("strong", {}, percent(answer.similarity)),
        ` similar: ${plural(answer.shared.length, "cell", "cells")} of ${model.hash_length} `,
        saveTable(`Cells of ${answer.word} and ${other.word}`, [["cell", "name", "words"],
          ...answer.shared.map((cell) => [cell.cell, cell.name, cell.words.map(([word]) => word).join(" ")])])),
      answer.shared.length
        ? h("ul", { class: "shared" }, answer.shared.map((cell) =>
          h("li", {}, h("a", { class: "number", href: linkCell(cell.cell) }, cell.name || `Cell ${cell.cell}`),
            " ", wordList(cell.words.map(([word]) => word)))))
        : note("They share no cell."),
    );
  }

  function show(answer) {
    title.textContent = answer.word;
    comparing.hidden = !answer.known;
    if (!answer.known) {
      body.replaceChildren(unknown(answer));
      return;
    }
    const other = answer.other?.known ? answer.other : null;
    const both = other ? answer.code.filter((cell) => other.code.includes(cell)) : [];
    body.replaceChildren(
      h("p", { class: "lead" },
        answer.word === params.w.trim().toLowerCase() || answer.word === params.w
          ? "" : ["The model reads “", h("bdi", {}, params.w), "” as this word. "],
        `Seen ${plural(answer.count, "time", "times")} in training; rank ${count(answer.rank)} of ` +
        `${count(model.n_words)} words.`),
      h("div", { class: "pair" },
        neighbours("Nearest words", answer.neighbours, model.hash_length, "It has no neighbour.", "h2"),
        h("section", { class: "card" },
          h("h2", {}, `Its code: ${answer.code.length} of ${count(model.n_cells)} cells`),
          codeGrid(model.n_cells, [[other ? "first" : "on", answer.code], ["other", other ? other.code : []],
            ["both", both]], `The code of ${answer.word}`),
          other
            ? legend(["first", answer.word], ["other", other.word], ["both", "both"])
            : regionsOf(answer.code, model),
          h("a", { href: link("map", { w: answer.word }) }, "Show it on the map"))),
    );
    if (answer.other) showOther(answer);
    else shared.replaceChildren();
  }

  async function update(given) {
    params = given;
    if (document.activeElement !== box) box.value = params.with ?? "";
    if (!params.w) {
      title.textContent = "A word";
      comparing.hidden = true;
      body.replaceChildren(note("Search for a word above (press /), or start with: ",
        wordList(model.examples), "."));
      return;
    }
    try {
      const fields = { word: cut(params.w, 100) };
      if (params.with) fields.other = cut(params.with, 100);
      show(await ask("word", fields));
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status === 401) throw error;
      body.replaceChildren(failure(error));
    }
  }

  return { update, title: () => params.w || "A word" };
}
