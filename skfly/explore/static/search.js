// The search box: words as they are typed, chosen with the keyboard or the mouse.

import { latest } from "./api.js";
import { count, h, later } from "./dom.js";
import { go, read } from "./state.js";

export function searchBox(input, list) {
  const ask = latest();
  let words = [];
  let at = -1;
  let listed = null; // what the words in the list were found for

  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    words = [];
    at = -1;
  };
  const choose = (word) => {
    close();
    input.value = "";
    document.querySelector("#view").focus(); // Tab goes on from there
    // on the map, a search flies to the word
    go(read().view === "map" ? "map" : "word", { w: word });
  };
  const mark = (place) => {
    at = place;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
    if (at < 0) input.removeAttribute("aria-activedescendant");
    else {
      input.setAttribute("aria-activedescendant", `found-${at}`);
      list.children[at].scrollIntoView({ block: "nearest" });
    }
  };
  const open = () => {
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
  };
  const tell = (...message) => h("li", { class: "none", role: "option", "aria-disabled": "true" },
    h("span", {}, message));
  const show = (answer) => {
    words = answer.words.map((row) => row.word);
    listed = answer.query.trim();
    at = -1;
    list.replaceChildren(...(words.length
      ? answer.words.map((row, i) => h("li", {
        id: `found-${i}`, role: "option", "aria-selected": "false",
        onmousedown: (event) => { event.preventDefault(); choose(row.word); } },
      h("span", {}, row.word), h("small", {}, count(row.count))))
      : [tell("No word has “", h("bdi", {}, answer.query), "” in it.")]));
    open();
  };
  const look = async () => {
    const query = input.value.trim();
    if (!query) {
      close();
      return;
    }
    // a word may be chosen, or the box left, before the answer comes
    const waited = () => document.activeElement === input && input.value.trim() === query;
    try {
      const answer = await ask("search", { query, n_words: 12 });
      if (waited()) show(answer);
    } catch (error) {
      if (error.name === "AbortError" || !waited()) return;
      words = [];
      list.replaceChildren(tell(error.message));
      open();
    }
  };
  input.addEventListener("input", later(120, look));
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" && list.hidden) look();
    else if (event.key === "ArrowDown" && words.length) mark((at + 1) % words.length);
    else if (event.key === "ArrowUp" && words.length) mark((at + words.length + 1) % (words.length + 1) - 1);
    else if (event.key === "Enter" && input.value.trim()) {
      const typed = input.value.trim();
      choose(words[at] ?? (listed === typed ? words[0] : undefined) ?? typed);
    }
    else if (event.key === "Escape") { close(); input.blur(); } else return;
    event.preventDefault();
  });
}
