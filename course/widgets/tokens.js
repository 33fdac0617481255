// Tokens of a text, and lists of the likeliest: what the explorers of texts share.
import { make } from "./controls.js";
import { clamp } from "./layout.js";
import { number } from "./numbers.js";

// A token as it stands in the text: its spaces and line breaks can be seen.
export function visible(text) {
  return text.replaceAll(" ", "␣").replaceAll("\n", "⏎").replaceAll("\t", "⇥");
}

export function headName(name, part = "block") {
  const [number, head] = name.split(".");
  return `${part} ${number}, head ${head}`;
}

// The place after a key, or null.
export function placeAfter(place, key, last, first = 1) {
  const to = { ArrowLeft: place - 1, ArrowUp: place - 1, ArrowRight: place + 1, ArrowDown: place + 1, Home: first, End: last }[key];
  return to === undefined ? null : clamp(to, first, last);
}

// Tokens with their probabilities as bars, the answer marked.
export function likelyList(title, names, shares, answer) {
  const lines = names.map((name, i) => likelyLine(name, shares[i], name === answer));
  return make("div", "tc-list", {}, make("p", "tc-under", {}, title), ...lines);
}

function likelyLine(name, probability, right) {
  const bar = make("span", "tc-share");
  bar.style.width = `${Math.round(90 * (probability || 0))}px`;
  const label = make("span", `tc-guessed${right ? " tc-right" : ""}`, {}, right ? `${name} ✓` : name);
  return make("div", "tc-line", {}, label, bar, make("span", "tc-shown", {}, number(probability)));
}
