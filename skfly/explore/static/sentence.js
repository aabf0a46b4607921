// A sentence: its words lit by what they do, the cells that win, and a word of it in context.

import { latest } from "./api.js";
import { count, cut, h, later } from "./dom.js";
import {
  cellCard, cloudControls, codeGrid, examplesOf, failure, legend, litWords, neighbours, noWord, note, readOnly,
  regionsOf, wordList,
} from "./parts.js";
import { saveTable } from "./save.js";
import { go, linkWord, numberOf } from "./state.js";

export const settingsOf = (params) => ({
  n_cells: Math.round(numberOf(params.cells, 4, 1, 12)),
  temperature: numberOf(params.t, 0.1, 0.01, 2),
  stop_words: params.stop === "1",
});

export function sentenceView(root, model) {
  const askSentence = latest();
  const askContext = latest();
  let params = {};
  const words = h("div", { "aria-live": "polite" });
  const results = h("div");
  const panel = h("div", { id: "target", "aria-live": "polite" });
  const box = h("textarea", {
    id: "text", rows: 2, maxlength: 2000, placeholder: "Type a sentence",
    "aria-label": "A sentence", spellcheck: "false",
  });
  const change = (changes, options) => go("sentence", { ...params, ...changes }, options);
  const typed = later(250, () =>
    change({ text: box.value, target: undefined }, { replace: Boolean(params.text) }), box);
  box.addEventListener("input", typed);
  const tune = later(120, (changes) => change(changes, { replace: true }), box);
  const controls = h("div");
  root.append(
    h("h1", { tabindex: -1 }, "A sentence and its cells"),
    h("p", { class: "lead" },
      "Words are highlighted by how much they excite the cells that win. Click one for its neighbours here."),
    box, controls, words, panel, results,
  );

  function empty() {
    results.replaceChildren();
    if (model.read_only) words.replaceChildren(readOnly(model, "sentence"));
    else words.replaceChildren(
      note("Type any sentence with words that the model knows, or start with " +
        "a word: ", wordList(model.examples), ". ", examplesOf(model, "sentence")),
    );
    panel.replaceChildren();
  }

  function show(answer) {
    const drives = answer.words.map((word) => word.drive);
    const target = params.target === undefined ? null : Number(params.target);
    const pick = (place) => change({ target: place === target ? undefined : place });
    const lit = h("div", { class: "savable" }, litWords(answer.words, drives, { chosen: target, pick }),
      h("p", { class: "saves" }, saveTable("Words of the sentence", [["word", "known", "share"],
        ...answer.words.map((word) => [word.word, word.known, word.drive])])));
    if (!answer.cells.length) {
      results.replaceChildren();
      words.replaceChildren(
        lit,
        answer.words.some((word) => word.known)
          ? note("No cell responds to these words.")
          : note(answer.words.length
            ? "No cell responds: the model knows none of these words. Its vocabulary has, for " +
              "example, "
            : `${noWord(params.text)} Its vocabulary has, for example, `,
          wordList(model.examples), "."),
      );
      return;
    }
    const watch = (cell) => {
      const shown = cell ? cell.drives : drives;
      const most = Math.max(...shown, 1e-9);
      lit.querySelectorAll(".word").forEach((word, i) =>
        word.style.setProperty("--heat", (shown[i] / most).toFixed(3)));
      lit.classList.toggle("one-cell", Boolean(cell));
    };
    const most = answer.cells[0].activation;
    words.replaceChildren(lit);
    results.replaceChildren(
      h("h2", {}, "The most active cells"),
      h("div", { class: "cells" }, answer.cells.map((cell) => cellCard(cell, { most, watch }))),
      h("h2", {}, `The code of the sentence: ${answer.code.length} of ${count(model.n_cells)} cells`),
      codeGrid(model.n_cells, [["on", answer.code]], "The code of the sentence"),
      regionsOf(answer.code, model),
    );
  }

  async function showTarget() {
    if (params.target === undefined || !params.text) {
      panel.replaceChildren();
      return;
    }
    const place = Math.round(numberOf(params.target, 0, 0, 2000));
    const answer = await askContext("context", { text: cut(params.text, 2000), place });
    const both = answer.static_code.filter((cell) => answer.context_code.includes(cell));
    const alone = "No other word shares a cell with it.";
    const unknown = [h("bdi", {}, answer.word), " is not in the model's vocabulary."];
    panel.replaceChildren(
      h("h2", {}, h("a", { href: linkWord(answer.word) }, answer.word), " in this sentence"),
      h("div", { class: "pair" },
        neighbours("Nearest in this sentence", answer.in_context, model.hash_length,
          answer.context_code.length ? alone : "The model knows no word here."),
        neighbours("Nearest to the word alone", answer.static, model.hash_length,
          answer.static_code.length ? alone : unknown)),
      !answer.context_code.length ? "" : h("div", { class: "pair codes" },
        h("div", {},
          h("p", {}, `${both.length} of the ${answer.context_code.length} cells of its code here are ` +
            "also in its code by itself."),
          regionsOf(answer.context_code, model),
          legend(["alone", "only by itself"])),
        codeGrid(model.n_cells, [["alone", answer.static_code], ["on", answer.context_code]],
          `The codes of ${answer.word}`)),
    );
  }

  async function update(given) {
    const before = params;
    params = given;
    const settings = settingsOf(params);
    if (box.value !== (params.text ?? "") && document.activeElement !== box) {
      box.value = params.text ?? "";
    }
    if (!controls.contains(document.activeElement)) {
      controls.replaceChildren(cloudControls({
        cells: settings.n_cells, temperature: settings.temperature,
        stopWords: model.read_only ? null : settings.stop_words, change: tune }));
    }
    if (!params.text) {
      empty();
      return;
    }
    try {
      show(await askSentence("sentence", { text: cut(params.text, 2000), ...settings }));
      await showTarget();
      if (params.target !== undefined && params.target !== before.target) {
        panel.scrollIntoView({ block: "nearest" });
        words.querySelector('[aria-pressed="true"]')?.focus({ preventScroll: true });
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status === 401) throw error;
      if (model.read_only) {
        words.replaceChildren();
        results.replaceChildren(readOnly(model, "sentence"));
      } else (error.message.startsWith("target") ? panel : results).replaceChildren(failure(error));
    }
  }

  return { update, title: () => params.text || "A sentence" };
}
