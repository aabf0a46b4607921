// The first page: what this is, examples to press, and what the model has read.

import { ask } from "./api.js";
import { count, h } from "./dom.js";
import { codeGrid, note, wordList } from "./parts.js";
import { savable } from "./save.js";
import { link } from "./state.js";

const shown = (params) => [params.text, params.a, params.b, params.w].filter(Boolean).join(" / ");

const targetOf = ({ params }) => params.text.split(" ")[Number(params.target)];

/** The text of an example, its target in bold. */
const withTarget = ({ text, target }) => text.split(" ").map((word, i) =>
  [i ? " " : "", i === Number(target) ? h("b", {}, word) : word]);

/** Two examples side by side: of one word in two contexts where the model knows one. */
const pairOf = (tours) => {
  const inContext = tours.filter((tour) => tour.params.target !== undefined);
  const pairs = inContext.flatMap((one, i) => inContext.slice(i + 1).map((other) => [one, other]));
  return pairs.find(([one, other]) => targetOf(one) === targetOf(other)) ?? [];
};

export function homeView(root, model) {
  const pictures = h("div", { class: "pair hero" });
  const pair = pairOf(model.tours);
  const facts = [
    [count(model.n_words), "words in its vocabulary"],
    [count(model.n_cells), "Kenyon cells"],
    [String(model.hash_length), "active in each code"],
    [count(model.n_words_read), "words of training text"],
    ...(model.n_documents === null ? [] : [[count(model.n_documents), "documents to search"]]),
  ];
  root.append(
    h("h1", { tabindex: -1 }, "Words as a fruit fly would smell them"),
    h("p", { class: "intro" },
      "A Kenyon cell is a neuron in the fruit fly's brain. Thousands of them receive the same smell, and " +
      "only the few that respond most stay active. Here they respond to words, and the few that " +
      "win are the code of a word, a sentence or a document: its fingerprint."),
    model.n_dead_cells < model.n_cells ? "" : note("No cell of this model is in use, so all codes are " +
      "empty: no word of its text had others around it. Train it on sentences of several words."),
    pictures,
    h("h2", {}, "Try"),
    h("ul", { class: "tours" }, model.tours.filter((tour) => !pair.includes(tour)).map((tour) =>
      h("li", {}, h("a", { class: "card", href: link(tour.view, tour.params) },
        h("strong", {}, tour.title), h("span", {}, shown(tour.params)))))),
    h("p", {}, "Or a word: ", wordList(model.examples), ". Or ",
      h("a", { href: link("map") }, "the map of all words"), "."),
    h("h2", {}, "What the model “", h("bdi", {}, model.name), "” has learned"),
    h("dl", { class: "facts" }, facts.map(([value, text]) => [h("dt", {}, value), h("dd", {}, text)])),
  );

  const drawn = (title, to, code, text, common = []) => h("figure", { class: "card" },
    h("figcaption", {}, h("a", { href: to }, title), " ", h("span", {}, text)),
    savable(codeGrid(model.n_cells, [["on", code], ["on common", common]], `The code of: ${title}`,
      { small: true, named: true })));

  async function drawPair() {
    const answers = await Promise.all(pair.map(({ params }) =>
      ask("context", { text: params.text, place: Number(params.target) })));
    const [one, other] = answers.map((answer) => answer.context_code);
    const common = one.filter((cell) => other.includes(cell));
    return pair.map(({ title, view, params }, i) =>
      drawn(title, link(view, params), answers[i].context_code, withTarget(params), common));
  }

  async function update() {
    if (pictures.childElementCount) return;
    const drawings = pair.length ? await drawPair() : await Promise.all(model.examples.slice(0, 2).map(async (word) =>
        drawn(word, link("word", { w: word }), (await ask("word", { word })).code, "")));
    pictures.replaceChildren(...drawings);
    pictures.after(h("p", { class: "usage" },
      `Each square is one of ${count(model.n_cells)} cells; those that respond to the same words lie ` +
      "side by side and have one colour. " + (pair.length
        ? `These are the codes of “${targetOf(pair[0])}” in its two sentences: it lights up other places ` +
          "where it means something else. Pale squares are active in both."
        : "Different words light up different places, and similar ones the same.")));
  }

  return { update, title: () => model.name };
}
