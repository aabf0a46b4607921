// The search box: words as they are typed, chosen with the keyboard or the mouse.

import { latest } from "./api.js";
import { count, h, later } from "./dom.js";
import { go } from "./state.js";

export function searchBox(input, list) {
  const ask = latest();
  let words = [];
  let at = -1;

  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    at = -1;
  };
  const choose = (word) => {
    close();
    input.value = "";
    document.querySelector("#view").focus(); // Tab goes on from there
    go("word", { w: word });
  };
  const mark = (place) => {
    at = place;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
    if (at >= 0) {
      input.setAttribute("aria-activedescendant", `found-${at}`);
      list.children[at].scrollIntoView({ block: "nearest" });
    }
  };
  const show = (answer) => {
    words = answer.words.map((row) => row.word);
    at = -1;
    list.replaceChildren(...(words.length
      ? answer.words.map((row, i) => h("li", {
        id: `found-${i}`, role: "option", "aria-selected": "false",
        onmousedown: (event) => { event.preventDefault(); choose(row.word); } },
      h("span", {}, row.word), h("small", {}, count(row.count))))
      : [h("li", { class: "none" }, `No word has “${answer.query}” in it.`)]));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
  };
  const typed = later(120, async () => {
    const query = input.value.trim();
    if (!query) {
      close();
      return;
    }
    try {
      show(await ask("search", { query, n_words: 12 }));
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
  });
  input.addEventListener("input", typed);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" && words.length) mark((at + 1) % words.length);
    else if (event.key === "ArrowUp" && words.length) mark((at + words.length) % (words.length + 1) - 1);
    else if (event.key === "Enter" && input.value.trim()) choose(words[at] ?? input.value.trim());
    else if (event.key === "Escape") { close(); input.blur(); } else return;
    event.preventDefault();
  });
}
