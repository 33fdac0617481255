// A sentence with blanks of your choice: what stands likeliest in each, and what every head read for it.
import { make, problemsLine, root } from "./controls.js";
import { follow } from "./follow.js";
import { Heatmap, Legend } from "./heatmap.js";
import { at, matrix, rowOf, unpack } from "./matrices.js";
import { number } from "./numbers.js";
import { Sender, SILENCE } from "./sender.js";
import { readTheme } from "./theme.js";
import { headName, likelyList, placeAfter, visible } from "./tokens.js";

const TRAITS = ["data", "blanks", "token"];
const READERS = ["from both sides", "from the left alone"];
export const BLANK = "[MASK]";

// ---- pure: what is shown and said ----

// The blanks after a place is chosen: a word becomes a blank, a blank is chosen, and given back when it was chosen already.
export function blanksAfter(blanks, place, chosen) {
  if (!blanks.includes(place)) return [...blanks, place].sort((a, b) => a - b);
  return place === chosen ? blanks.filter((one) => one !== place) : blanks;
}

export function shownToken(token, blank) {
  return blank ? BLANK : visible(token);
}

// A blank in words: what stood there, and where each reader has it.
export function answerText(token, found) {
  if (!found) return `“${visible(token)}” is no blank: choose it, and it becomes one.`;
  const parts = found.map(({ share, rank }, i) => `${READERS[i]} it has probability ${number(share)}, rank ${rank}`);
  return `“${visible(token)}” stood here: ${parts.join("; ")}.`;
}

// ---- the widget ----

class Blanks {
  constructor(model, el) {
    this.model = model;
    this.cursor = null;
    this.sender = new Sender(model, ["blanks"], () => this.silent());
    this.build(el);
    this.stop = follow(this, TRAITS);
  }

  build(el) {
    const { tokens, places } = this.model.get("data");
    this.problems = problemsLine();
    this.caption = make("p", "tc-caption");
    this.caption.setAttribute("aria-live", "polite");
    this.text = make("div", "tc-text");
    this.text.setAttribute("role", "listbox");
    this.text.setAttribute("aria-label", "the sentence, token by token");
    this.chips = tokens.map((token, place) => this.chip(place, places.includes(place)));
    this.text.append(...this.chips);
    this.text.addEventListener("keydown", (event) => this.key(event));
    this.reading = make("div", "tc-reading tc-sum");
    this.reading.setAttribute("aria-live", "polite");
    this.map = new Heatmap({ onCursor: (cell) => this.point(cell) });
    this.cell = make("p", "tc-sum");
    this.cell.setAttribute("aria-live", "polite");
    this.legend = new Legend();
    const maps = make("div", "tc-maps", {}, this.map.el, this.cell, this.legend.el);
    const hint = make("p", "tc-keysline", {}, "Choose a word, and it becomes a blank; choose a blank again, and the word comes back. By keyboard: arrow keys, and Enter.");
    this.root = root(el, "blanks", this.problems.el, this.caption, this.text, this.reading, maps, hint);
  }

  chip(place, free) {
    const el = make("span", "tc-token");
    el.setAttribute("role", "option");
    if (free) el.addEventListener("click", () => this.choose(place));
    else el.setAttribute("aria-disabled", "true");
    return el;
  }

  key(event) {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.choose(this.sender.get("token"));
      return;
    }
    const { places } = this.model.get("data");
    const to = placeAfter(places.indexOf(this.sender.get("token")), event.key, places.length - 1, 0);
    if (to === null) return;
    event.preventDefault();
    this.go(places[to]);
  }

  choose(place) {
    const blanks = this.sender.get("blanks");
    const next = blanksAfter(blanks, place, this.sender.get("token"));
    if (next !== blanks) this.sender.send("blanks", next);
    this.go(place);
  }

  go(place) {
    this.cursor = null;
    this.sender.send("token", place);
    this.redraw();
    this.chips[place].focus();
  }

  point(cell) {
    this.cursor = cell;
    this.redraw();
  }

  silent() {
    this.problems.show([SILENCE]);
  }

  draw() {
    if (!this.root.clientWidth) return;
    this.theme = readTheme(this.root);
    this.data = this.model.get("data");
    const wanted = this.sender.get("token");
    this.place = this.data.places.includes(wanted) ? wanted : this.data.places[0];
    this.problems.show(this.data.problems);
    this.say(this.caption, this.data.caption);
    this.drawText();
    this.readOut();
    this.drawMap();
  }

  say(el, text) {
    if (el.textContent !== text) el.textContent = text;
  }

  // A blank that Python has not read yet shows as one: the hand is not to wait for it.
  drawText() {
    const blanks = this.sender.get("blanks");
    this.chips.forEach((chip, place) => {
      const [here, blank] = [place === this.place, blanks.includes(place)];
      this.say(chip, shownToken(this.data.tokens[place], blank));
      chip.tabIndex = here ? 0 : -1;
      chip.setAttribute("aria-selected", String(here));
      chip.setAttribute("aria-label", `${visible(this.data.tokens[place])}${blank ? ", a blank" : ""}`);
      chip.classList.toggle("tc-here", here);
      chip.classList.toggle("tc-blank", blank);
    });
  }

  readOut() {
    const found = this.data.read[String(this.place)];
    const token = this.data.tokens[this.place];
    const key = JSON.stringify([this.place, found]);
    if (this.said === key) return;
    this.said = key;
    const named = (ids) => ids.map((id) => visible(this.data.names[String(id)] ?? "?"));
    const lists = (found ?? []).map(({ ids, shares }, i) => likelyList(READERS[i], named(ids), shares, visible(token)));
    this.reading.replaceChildren(make("h4", "", {}, answerText(token, found)), make("div", "tc-likely", {}, ...lists));
  }

  drawMap() {
    const { heads, tokens, shown } = this.data;
    this.map.el.hidden = !heads.length;
    if (!heads.length) return;
    const weights = unpack(this.data.weights);
    const cols = tokens.length;
    const values = new Float32Array(heads.length * cols);
    heads.forEach((_, head) => values.set(rowOf(matrix(weights, head), this.place), head * cols));
    this.read = { values, rows: heads.length, cols };
    this.names = tokens.map((token, place) => shownToken(token, shown.includes(place)));
    const spec = {
      values: this.read, kind: "weights", limit: 1, mask: null, rowNames: heads, colNames: this.names,
      rowAxis: "layer.head", colAxis: "token (is read)", name: "what each head read for it", cursor: this.cursor,
      frames: [{ row: 0, col: this.place, rows: heads.length, cols: 1 }],
    };
    this.map.update(spec, this.theme, { width: this.root.clientWidth - 32, height: 18 * heads.length });
    this.legend.update({ ...spec, ...this.map.patterns() }, this.theme);
    this.say(this.cell, this.cursor ? this.cellText() : "");
  }

  cellText() {
    const { row, col } = this.cursor;
    const head = headName(this.data.heads[row], "layer");
    return `${head[0].toUpperCase()}${head.slice(1)} read “${this.names[col]}” with ${number(at(this.read, row, col))}.`;
  }

  destroy() {
    this.stop();
  }
}

export default {
  render({ model, el }) {
    const blanks = new Blanks(model, el);
    return () => blanks.destroy();
  },
};
