// What is shown is in the address: #/view?name=value, so that every state has a link.

import { cut } from "./dom.js";

const LONGEST = 4000; // characters of a value: no text or selection has more

export function read() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const params = [...new URLSearchParams(query)].map(([name, value]) => [name, cut(value, LONGEST)]);
  return { view: path || "home", params: Object.fromEntries(params) };
}

export function link(view, params = {}) {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(given).toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}

export const linkWord = (word) => link("word", { w: word });
export const linkCell = (cell) => link("cell", { n: cell });

/**
 * Change the address; `replace` while someone types, so that Back leaves the whole text, and
 * `shown` if the page already shows what it says.
 */
export function go(view, params, { replace = false, shown = false } = {}) {
  const to = link(view, params);
  if (to === location.hash) return;
  history[replace || shown ? "replaceState" : "pushState"](null, "", to);
  if (!shown) window.dispatchEvent(new Event("statechange"));
}

/** A whole number or a number of the address, kept within bounds. */
export function numberOf(text, otherwise, least, most) {
  const value = Number(text);
  return text === undefined || !Number.isFinite(value)
    ? otherwise
    : Math.min(most, Math.max(least, value));
}
