// Elements. Text is only ever set as text: no word of a model can become markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

export const h = (tag, properties, ...children) =>
  fill(document.createElement(tag), properties, children);

export const svg = (tag, properties, ...children) =>
  fill(document.createElementNS(SVG, tag), properties, children);

/** One of many links can be reached by Tab; arrow keys go to the others. */
export function roving(container, links) {
  links.forEach((link, i) => link.setAttribute("tabindex", i === 0 ? "0" : "-1"));
  container.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const at = links.indexOf(document.activeElement);
    let next = at + (steps[event.key] ?? 0);
    if (event.key === "Home") next = 0;
    if (event.key === "End") next = links.length - 1;
    if (at < 0 || next === at || !links[next]) return;
    event.preventDefault();
    links[at].setAttribute("tabindex", "-1");
    links[next].setAttribute("tabindex", "0");
    links[next].focus();
  });
}

/** The first characters of a text, whole ones. */
export const cut = (text, most) => [...text].slice(0, most).join("");

/** The beginning of a text, and a sign that it goes on. */
export const beginning = (text, most) => {
  const start = cut(text, most);
  return start === text ? text : `${start}…`;
};

/** A text without marks of direction, for where no markup can keep them from turning the rest. */
export const straight = (text) => text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");

/** Do something after a pause, if an element, such as that of a view, is still in the page. */
export function later(wait, action, element = document.body) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => { if (element.isConnected) action(...args); }, wait);
  };
}

export const count = (number) => number.toLocaleString("en");
export const percent = (share) =>
  share > 0 && share < 0.01 ? "<1%" : `${Math.round(100 * share)}%`;
export const plural = (number, one, many) => `${count(number)} ${number === 1 ? one : many}`;
