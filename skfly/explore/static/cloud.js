// Word clouds: the layout is d3-cloud's.

import { percent, roving, straight, svg } from "./dom.js";
import { linkWord } from "./state.js";

const FONT = "system-ui, sans-serif";
const SMALLEST = 10;
const LARGEST = 40;
const WIDE = 0.62; // of a letter, in units of its size
const SHRINK = 0.87; // from one try to the next
const TRIES = 12;

/** The same cell has the same cloud each time. */
function randomFrom(seed) {
  let state = (seed + 1) * 2654435761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 374761393) | 0;
    return (state >>> 0) / 4294967296;
  };
}

function sizeOf(word, share, width) {
  const size = SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(share);
  return Math.min(size, width / (WIDE * Math.max(word.length, 1)));
}

/** Places words as large as wanted, or all of them smaller until each has its place. */
function layOut(cell, entries, width, height) {
  const wanted = entries.reduce((sum, { word, wanted: size }) => sum + WIDE * word.length * size ** 2, 0);
  // words that would take more than the picture are not tried
  let scale = Math.min(1, Math.sqrt((width * height) / wanted));
  let most = [];
  for (let n = 0; n < TRIES && most.length < entries.length; n += 1) {
    window.d3.layout
      .cloud()
      .size([width, height])
      .words(entries.map((entry) => ({ ...entry })))
      .text((entry) => entry.word)
      .font(FONT)
      .fontWeight("600")
      .fontSize((entry) => Math.max(1, scale * entry.wanted))
      .rotate(0)
      .padding(2)
      .random(randomFrom(cell))
      .on("end", (placed) => { if (placed.length > most.length) most = placed; })
      .start();
    scale *= SHRINK;
  }
  return most;
}

/** Returns a cloud of [word, probability] pairs, the likeliest first. */
export function cloud(cell, words, { width = 352, height = 220 } = {}) {
  const picture = svg("svg", {
    class: "cloud",
    viewBox: `${-width / 2} ${-height / 2} ${width} ${height}`,
    role: "group",
    "aria-label": `Words of cell ${cell}`,
  });
  const most = words[0]?.[1] || 1;
  const entries = words.map(([word, chance]) => ({
    word,
    chance,
    share: chance / most,
    wanted: sizeOf(word, chance / most, width),
  }));
  draw(picture, layOut(cell, entries, width, height));
  return picture;
}

function draw(picture, placed) {
  // the picture is as large as the words, and so they are in its middle
  const left = Math.min(...placed.map((e) => e.x + e.x0));
  const right = Math.max(...placed.map((e) => e.x + e.x1));
  const top = Math.min(...placed.map((e) => e.y + e.y0));
  const bottom = Math.max(...placed.map((e) => e.y + e.y1));
  if (placed.length) {
    const [, , width, height] = picture.getAttribute("viewBox").split(" ").map(Number);
    const x = (left + right) / 2 - width / 2;
    const y = (top + bottom) / 2 - height / 2;
    picture.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  }
  placed.sort((a, b) => b.chance - a.chance);
  const links = placed.map((entry) =>
    svg(
      "a",
      { href: linkWord(entry.word), transform: `translate(${entry.x} ${entry.y})` },
      svg("title", {}, `${straight(entry.word)}: ${percent(entry.chance)} of this cell`),
      svg(
        "text",
        {
          "text-anchor": "middle",
          "font-size": entry.size,
          "font-family": FONT,
          "font-weight": 600,
          "--share": (0.65 + 0.35 * Math.sqrt(entry.share)).toFixed(2),
        },
        entry.word,
      ),
    ),
  );
  picture.append(...links);
  roving(picture, links);
}
