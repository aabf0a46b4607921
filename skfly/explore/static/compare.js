// Two sentences: the cells they share, and which words made them.

import { latest } from "./api.js";
import { cut, h, later, percent } from "./dom.js";
import {
  cellCard, cloudControls, codeGrid, examplesOf, failure, legend, litWords, nameOf, noWord, note, readOnly,
} from "./parts.js";
import { saveTable } from "./save.js";
import { settingsOf } from "./sentence.js";
import { go } from "./state.js";

export function compareView(root, model) {
  const ask = latest();
  let params = {};
  const change = (changes, options) => go("compare", { ...params, ...changes }, options);
  const box = (name, label) => {
    const element = h("textarea", {
      id: name, rows: 2, maxlength: 2000, placeholder: label, "aria-label": label, spellcheck: "false",
    });
    element.addEventListener("input", later(250, () =>
      change({ [name]: element.value }, { replace: Boolean(params[name]) }), element));
    return element;
  };
  const boxes = { a: box("a", "One sentence"), b: box("b", "Another sentence") };
  const lit = { a: h("div"), b: h("div") };
  const controls = h("div");
  const results = h("div", { "aria-live": "polite" });
  const tune = later(120, (changes) => change(changes, { replace: true }), controls);
  root.append(
    h("h1", { tabindex: -1 }, "Two sentences"),
    h("p", { class: "lead" },
      "Words are highlighted by how much they excite the cells that both sentences share."),
    h("div", { class: "pair" }, h("div", {}, boxes.a, lit.a), h("div", {}, boxes.b, lit.b)),
    controls, results,
  );

  function show(answer) {
    for (const [name, side] of [["a", answer.left], ["b", answer.right]]) {
      lit[name].replaceChildren(side.length
        ? litWords(side, side.map((word) => word.drive))
        : note(noWord(params[name])));
    }
    const silent = [["first", answer.left, answer.left_code], ["second", answer.right, answer.right_code]]
      .filter(([, , code]) => !code.length);
    if (silent.length) {
      const known = silent.every(([, words]) => words.some((word) => word.known));
      results.replaceChildren(note(
        `${known ? "No cell responds to" : "The model knows no word of"} the ` +
        `${silent.map(([name]) => name).join(" and the ")} sentence, so there is nothing to compare.`));
      return;
    }
    const alone = (code) => code.filter((cell) => !answer.shared.includes(cell));
    results.replaceChildren(
      h("div", { class: "pair codes" },
        codeGrid(model.n_cells, [["on", answer.left_code]], "The code of the first"),
        codeGrid(model.n_cells, [["on", answer.right_code]], "The code of the second")),
      h("div", { class: "pair codes" },
        h("div", {},
          h("p", { class: "score" },
            h("strong", {}, percent(answer.similarity)), ` similar: ${answer.shared.length} of ` +
            `${model.hash_length} cells in common `,
            saveTable("Cells of two sentences", [["cell", "name", "first", "second"],
              ...[...new Set([...answer.left_code, ...answer.right_code])].sort((a, b) => a - b)
                .map((cell) => [cell, nameOf(cell), answer.left_code.includes(cell),
                  answer.right_code.includes(cell)])])),
          legend(["first", "only the first"], ["other", "only the second"], ["both", "both"])),
        codeGrid(model.n_cells, [["first", alone(answer.left_code)],
          ["other", alone(answer.right_code)], ["both", answer.shared]],
        "The codes of both sentences")),
      answer.cells.length
        ? h("div", {}, h("h2", {}, "Cells that both share, the most active first"),
          h("div", { class: "cells" }, answer.cells.map((cell) => cellCard(cell, { most: 1 }))))
        : note("They share no cell: the model finds nothing in common."),
    );
  }

  async function update(given) {
    params = given;
    const settings = settingsOf(params);
    for (const name of ["a", "b"]) {
      if (document.activeElement !== boxes[name]) boxes[name].value = params[name] ?? "";
    }
    if (!controls.contains(document.activeElement)) {
      controls.replaceChildren(cloudControls({
        cells: settings.n_cells, temperature: settings.temperature,
        stopWords: model.read_only ? null : settings.stop_words, change: tune }));
    }
    if (!params.a || !params.b) {
      lit.a.replaceChildren();
      lit.b.replaceChildren();
      results.replaceChildren(model.read_only ? readOnly(model, "compare")
        : note("Type two sentences; the cells that they share appear here.",
          examplesOf(model, "compare")));
      return;
    }
    try {
      show(await ask("compare", {
        left: cut(params.a, 2000), right: cut(params.b, 2000), ...settings }));
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status === 401) throw error;
      results.replaceChildren(model.read_only ? readOnly(model, "compare") : failure(error));
    }
  }

  return { update, title: () => "Two sentences" };
}
