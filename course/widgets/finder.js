// A name of your own: the nearest in every language, and what each of its characters is worth to the score.
import { make, problemsLine, root } from "./controls.js";
import { follow } from "./follow.js";
import { Heatmap, Legend } from "./heatmap.js";
import { at, matrix, rowOf, unpack } from "./matrices.js";
import { number } from "./numbers.js";
import { Sender, SILENCE } from "./sender.js";
import { readTheme } from "./theme.js";
import { placeAfter, visible } from "./tokens.js";

const TRAITS = ["data", "text", "row"];

// ---- pure: what is shown and said ----

// A language in words: the name found, and the character whose loss is largest.
export function foundText(language, found, characters, losses) {
  if (!found) return "Nothing is asked.";
  const place = losses.indexOf(Math.max(...losses));
  const lost = `without “${visible(characters[place])}” at place ${place} the score falls most, by ${number(losses[place])}`;
  return `${language}: “${found.name}”, ${number(found.score)}; ${lost}.`;
}

// The end of the colour scale: the largest loss or gain, and never nothing.
export function scaleEnd(values) {
  return Math.max(0.01, ...Array.from(values, Math.abs).filter(Number.isFinite));
}

// ---- the widget ----

class Finder {
  constructor(model, el) {
    this.model = model;
    this.cursor = null;
    this.sender = new Sender(model, ["text"], () => this.problems.show([SILENCE]));
    this.build(el);
    this.stop = follow(this, TRAITS);
  }

  build(el) {
    const { languages } = this.model.get("data");
    this.problems = problemsLine();
    this.input = make("input", "tc-select tc-name", { type: "text", maxLength: 24, value: this.model.get("text"), spellcheck: false });
    this.input.setAttribute("aria-label", "name");
    this.input.addEventListener("input", () => this.sender.send("text", this.input.value));
    ["keydown", "keyup", "keypress"].forEach((type) => this.input.addEventListener(type, (event) => event.stopPropagation()));
    const control = make("label", "tc-control", {}, make("span", "tc-label", {}, "name"), this.input);
    this.caption = make("p", "tc-caption");
    this.caption.setAttribute("aria-live", "polite");
    this.list = make("div", "tc-found");
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "languages");
    this.lines = languages.map((_, row) => this.line(row));
    this.list.append(...this.lines);
    this.list.addEventListener("keydown", (event) => this.key(event));
    this.reading = make("p", "tc-sum");
    this.reading.setAttribute("aria-live", "polite");
    this.map = new Heatmap({ onCursor: (cell) => this.point(cell) });
    this.legend = new Legend();
    const hint = make("p", "tc-keysline", {}, "Type a name. Choose a language by mouse or arrow keys: its row of the map says what the score loses without each character.");
    this.root = root(el, "finder", this.problems.el, make("div", "tc-row", {}, control, this.caption), this.list, this.map.el, this.reading, this.legend.el, hint);
  }

  line(row) {
    const el = make("div", "tc-token tc-foundline");
    el.setAttribute("role", "option");
    el.addEventListener("click", () => this.go(row));
    return el;
  }

  key(event) {
    const to = placeAfter(this.sender.get("row"), event.key, this.lines.length - 1, 0);
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(to);
  }

  go(row) {
    this.cursor = null;
    this.sender.send("row", row);
    this.redraw();
    this.lines[row].focus();
  }

  point(cell) {
    this.cursor = cell;
    if (cell) this.sender.send("row", cell.row);
    this.redraw();
  }

  say(el, text) {
    if (el.textContent !== text) el.textContent = text;
  }

  draw() {
    if (!this.root.clientWidth) return;
    this.theme = readTheme(this.root);
    this.data = this.model.get("data");
    const [wanted, text] = [this.sender.get("row"), this.sender.get("text")];
    this.row = wanted >= 0 && wanted < this.data.languages.length ? wanted : 0;
    if (this.input.value !== text) this.input.value = text;
    if (this.cursor && this.cursor.col >= this.data.characters.length) this.cursor = null; // the name has become shorter
    this.problems.show(this.data.problems);
    this.say(this.caption, this.data.caption);
    this.drawLines();
    this.drawMap();
  }

  drawLines() {
    const { languages, found } = this.data;
    this.lines.forEach((line, row) => {
      const one = found[row];
      this.say(line, one ? `${languages[row]} ${one.name} ${number(one.score)}` : languages[row]);
      line.tabIndex = row === this.row ? 0 : -1;
      line.setAttribute("aria-selected", String(row === this.row));
      line.classList.toggle("tc-here", row === this.row);
    });
  }

  drawMap() {
    const { found, languages, characters } = this.data;
    const shown = found.length > 0 && characters.length > 0;
    this.map.el.hidden = !shown;
    this.legend.el.hidden = !shown;
    if (!shown) return this.say(this.reading, "");
    const losses = matrix(unpack(this.data.losses));
    const spec = {
      values: losses, kind: "signed", limit: scaleEnd(losses.values), mask: null, rowNames: languages,
      colNames: characters.map(visible), rowAxis: "language", colAxis: "character that is left out",
      name: "what the score loses without a character", cursor: this.cursor,
      frames: [{ row: this.row, col: 0, rows: 1, cols: characters.length }],
    };
    this.map.update(spec, this.theme, { width: this.root.clientWidth - 32, height: 20 * languages.length });
    this.legend.update({ ...spec, ...this.map.patterns() }, this.theme);
    this.say(this.reading, this.readingText(losses));
  }

  readingText(losses) {
    const { found, languages, characters } = this.data;
    if (this.cursor) {
      const { row, col } = this.cursor;
      return `${languages[row]}, “${found[row].name}”: without “${visible(characters[col])}” the score changes by ${number(-at(losses, row, col))}.`;
    }
    return foundText(languages[this.row], found[this.row], characters, rowOf(losses, this.row));
  }

  destroy() {
    this.stop();
  }
}

export default {
  render({ model, el }) {
    const finder = new Finder(model, el);
    return () => finder.destroy();
  },
};
