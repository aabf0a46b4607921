// The first page: what this is, examples to press, and what the model has read.

import { ask } from "./api.js";
import { count, h } from "./dom.js";
import { codeGrid, wordList } from "./parts.js";
import { link } from "./state.js";

const shown = (params) => [params.text, params.a, params.b, params.w].filter(Boolean).join(" / ");

export function homeView(root, model) {
  const picture = h("div", { class: "card big" });
  const facts = [
    [count(model.n_words), "words that it knows"],
    [count(model.n_cells), "Kenyon cells"],
    [String(model.hash_length), "of them in a code"],
    [count(model.n_words_read), "words of text that it read"],
    ...(model.n_documents === null ? [] : [[count(model.n_documents), "documents to search"]]),
  ];
  root.append(
    h("h1", { tabindex: -1 }, `What ${model.name} has learned`),
    h("p", {},
      "A Kenyon cell is a neuron of the fruit fly's brain: thousands of them see the same smell, and " +
      "only the few that respond most stay active. Here they respond to words, and the few that " +
      "win are the code of a word, a sentence or a document."),
    h("h2", {}, "Try"),
    h("ul", { class: "tours" }, model.tours.map((tour) =>
      h("li", {}, h("a", { class: "card", href: link(tour.view, tour.params) },
        h("strong", {}, tour.title), h("span", {}, shown(tour.params)))))),
    h("p", {}, "Or a word: ", wordList(model.examples), ". Or ",
      h("a", { href: link("map") }, "the map of all words"), "."),
    h("h2", {}, "A code is a picture"),
    picture,
    h("h2", {}, "This model"),
    h("dl", { class: "facts" }, facts.map(([value, text]) => [h("dt", {}, value), h("dd", {}, text)])),
  );

  async function update() {
    const word = model.examples[0];
    const code = word ? (await ask("word", { word })).code : [];
    picture.replaceChildren(
      codeGrid(model.n_cells, [["on", code]], `The code of ${word ?? "no word"}`, { small: true }),
      h("p", { class: "usage" }, `All ${count(model.n_cells)} cells, those of the same words side by ` +
        `side; lit are those of “${word ?? ""}”. A colour is a region of the picture.`));
  }

  return { update, title: () => model.name };
}
