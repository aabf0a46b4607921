// What is shown follows the address; everything else follows from that.

import { ask, setToken } from "./api.js";
import { cellsView, cellView } from "./cells.js";
import { compareView } from "./compare.js";
import { count, cut, h, straight } from "./dom.js";
import { documentsView } from "./documents.js";
import { homeView } from "./home.js";
import { mapView } from "./map.js";
import { failure, useModel } from "./parts.js";
import { searchBox } from "./search.js";
import { sentenceView } from "./sentence.js";
import { go, read } from "./state.js";
import { wordView } from "./word.js";

const VIEWS = {
  home: homeView, map: mapView, documents: documentsView,
  sentence: sentenceView, compare: compareView, word: wordView, cells: cellsView, cell: cellView,
};
const main = document.querySelector("#view");
const search = document.querySelector("#search");
let model = null;
let shown = { name: null, view: null };

function takeToken() {
  const found = location.hash.match(/^#token=([\w-]+)$/);
  if (!found) return;
  setToken(found[1]);
  history.replaceState(null, "", "#/home");
}

function askForToken(tried = false) {
  const input = h("input", { id: "token", type: "password", autocomplete: "off", required: true });
  shown = { name: null, view: null };
  main.replaceChildren(
    h("h1", { tabindex: -1 }, "This page needs a token"),
    h("p", {}, "Other machines can reach this page, so it asks for a token. The command ",
      h("code", {}, "skfly explore"), " printed an address that contains it: open that address, or ",
      "enter the token here."),
    tried ? failure({ message: "This is not the token." }) : "",
    h("form", { onsubmit: (event) => {
      event.preventDefault();
      setToken(input.value.trim());
      start(true);
    } },
    h("label", { for: "token" }, "Token "), input, " ", h("button", { type: "submit" }, "Continue")),
  );
  input.focus();
}

async function route() {
  if (!model) return;
  const { view: wanted, params } = read();
  const name = Object.hasOwn(VIEWS, wanted) ? wanted : "home";
  const changed = name !== shown.name;
  const hadFocus = document.activeElement;
  if (changed) {
    main.replaceChildren();
    shown = { name, view: VIEWS[name](main, model) };
    window.scrollTo(0, 0);
  }
  const nav = name === "cell" ? "cells" : name;
  document.querySelectorAll("nav a").forEach((a) => {
    if (a.dataset.view === nav) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  });
  try {
    await shown.view.update(params);
  } catch (error) {
    if (error.status === 401) askForToken();
    else main.replaceChildren(failure(error));
    return;
  }
  document.title = `${cut(straight(shown.view.title()), 100)} · skfly`;
  // what was pressed is gone: go on from the heading
  if (hadFocus !== document.activeElement && document.activeElement === document.body) {
    main.querySelector("h1")?.focus({ preventScroll: !changed });
  }
}

async function start(tried = false) {
  try {
    model = await ask("model");
  } catch (error) {
    if (error.status === 401) askForToken(tried);
    else main.replaceChildren(failure(error));
    return;
  }
  useModel(model);
  document.querySelector('nav a[data-view="documents"]').hidden = model.n_documents === null;
  document.querySelector("#last-view").textContent = model.n_documents === null ? "5" : "6";
  document.querySelector("#about").textContent =
    `${model.name}: ${count(model.n_words)} words, ${count(model.n_cells)} cells, ` +
    `${model.hash_length} in a code; from ${count(model.n_words_read)} words of text`;
  await route();
}

function toggleTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("skfly-theme", root.dataset.theme);
  } catch {
    // it lasts as long as the page
  }
}

function pressed(event) {
  const typing = event.target.closest("input, textarea, select");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const views = { 1: "sentence", 2: "compare", 3: "word", 4: "cells", 5: "map", 6: "documents" };
  if (event.key === "6" && model?.n_documents === null) return;
  if (event.key === "/") search.focus();
  else if (event.key === "t") toggleTheme();
  else if (views[event.key]) {
    go(views[event.key], {});
    (main.querySelector("textarea") ?? main.querySelector("h1"))?.focus();
  } else return;
  event.preventDefault();
}

takeToken();
searchBox(search, document.querySelector("#found"));
document.querySelector("#theme").addEventListener("click", toggleTheme);
document.addEventListener("keydown", pressed);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address is not ours to change here
  main.focus();
});
window.addEventListener("popstate", route); // also for links within the page
window.addEventListener("statechange", route);
start();
