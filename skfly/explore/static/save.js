// What is shown, to take away: pictures as SVG or PNG, tables as CSV.

import { h } from "./dom.js";

const PRESENTATION = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-linejoin", "paint-order",
  "font-family", "font-size", "font-weight", "text-anchor", "opacity"];
const PIXELS = 1600; // width of a PNG

function download(blob, name) {
  const url = URL.createObjectURL(blob);
  const a = h("a", { href: url, download: name });
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A picture that looks the same without the style sheet of the page. */
function standalone(picture) {
  const copy = picture.cloneNode(true);
  const originals = picture.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((element, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of PRESENTATION) {
      const value = style.getPropertyValue(name);
      if (value) element.setAttribute(name, value);
    }
    for (const name of ["style", "class", "tabindex"]) element.removeAttribute(name);
  });
  // links of the page lead nowhere in a file
  copy.querySelectorAll("a").forEach((a) => {
    const group = document.createElementNS(a.namespaceURI, "g");
    for (const { name, value } of a.attributes) if (name !== "href") group.setAttribute(name, value);
    group.append(...a.childNodes);
    a.replaceWith(group);
  });
  const { x, y, width, height } = picture.viewBox.baseVal;
  const paper = document.createElementNS(copy.namespaceURI, "rect");
  const card = getComputedStyle(document.documentElement).getPropertyValue("--card").trim();
  for (const [name, value] of Object.entries({ x, y, width, height, fill: card })) {
    paper.setAttribute(name, value);
  }
  copy.prepend(paper);
  copy.setAttribute("xmlns", copy.namespaceURI);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.removeAttribute("class");
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
}

async function raster(blob) {
  const image = new Image();
  image.src = URL.createObjectURL(blob);
  try {
    await image.decode();
  } finally {
    URL.revokeObjectURL(image.src);
  }
  const canvas = h("canvas", { width: PIXELS,
    height: Math.round((PIXELS * image.height) / image.width) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

const fileName = (label, end) =>
  `${label.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "skfly"}.${end}`;

const button = (text, label, onclick) =>
  h("button", { type: "button", class: "save", "aria-label": `Save as ${text}: ${label}`, onclick }, text);

/** A picture with buttons that save it, and more buttons beside these. */
export const savable = (picture, ...more) => {
  const label = picture.getAttribute("aria-label");
  return h("div", { class: "savable" }, picture,
    h("p", { class: "saves" },
      button("SVG", label, () => download(standalone(picture), fileName(label, "svg"))),
      button("PNG", label, async () =>
        download(await raster(standalone(picture)), fileName(label, "png"))), more));
};

/** A button that saves the canvas that `draw` returns. */
export const savePicture = (label, draw) => button("PNG", label, () =>
  draw().toBlob((blob) => download(blob, fileName(label, "png")), "image/png"));

// what a spreadsheet would take for a formula is text here
const field = (value) => {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? "");
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** A button that saves rows, the first of which has the names of the columns. */
export const saveTable = (label, rows) => button("CSV", label, () => download(
  new Blob([rows.map((row) => row.map(field).join(",")).join("\r\n") + "\r\n"],
    { type: "text/csv;charset=utf-8" }), fileName(label, "csv")));
