// A text by what each token cost; of a chosen one the likeliest tokens, what every head read, and one head silenced.
import { make, problemsLine, root, segmented, select } from "./controls.js";
import { follow } from "./follow.js";
import { Heatmap, Legend } from "./heatmap.js";
import { clamp } from "./layout.js";
import { at, matrix, rowOf, unpack } from "./matrices.js";
import { number } from "./numbers.js";
import { colourOf, css, inkOn } from "./palette.js";
import { Sender } from "./sender.js";
import { readTheme } from "./theme.js";
import { headName, likelyList, placeAfter, visible } from "./tokens.js";

const TRAITS = ["data", "token", "silenced", "view"];
const VIEWS = [{ value: "loss", text: "loss" }, { value: "change", text: "change by silencing" }];
const NONE = -1;

// ---- pure: what is shown and said ----

// What the text's tokens are coloured by: one number for each place that is predicted.
export function shownValues(losses, silenced, view) {
  const plain = rowOf(losses, 0);
  if (view !== "change") return plain;
  return silenced === NONE ? plain.map(() => 0) : rowOf(losses, silenced + 1).map((loss, i) => loss - plain[i]);
}

// The end of the scale: a whole number that no token exceeds.
export function limitOf(values) {
  return Math.max(1, Math.ceil(Math.max(...values.map(Math.abs).filter(Number.isFinite), 0)));
}

// A place in words: what it cost, and what it costs without a head.
export function costText(token, loss, rank, without) {
  if (Number.isNaN(loss)) return `“${token}”: the model gave no number for it.`;
  const said = `“${token}” cost ${number(loss)} nats: probability ${number(Math.exp(-loss))}, rank ${rank}.`;
  if (!without) return said;
  return `${said} With ${headName(without.head)} silenced: ${number(without.loss)} nats, rank ${without.rank}.`;
}

export function unitText(view) {
  return view === "change" ? "nats: orange tokens cost more without the head, blue ones less" : "nats that each token cost";
}

export function meanOf(values) {
  return values.reduce((sum, x) => sum + x, 0) / values.length;
}

// ---- the widget ----

class Losses {
  constructor(model, el) {
    this.model = model;
    this.cursor = null;
    this.sender = new Sender(model);
    this.build(el);
    this.stop = follow(this, TRAITS);
  }

  build(el) {
    const { tokens, heads } = this.model.get("data");
    const options = [[String(NONE), "no head"], ...heads.map((name, i) => [String(i), headName(name)])];
    this.silence = select("silence", options, String(NONE), (value) => this.hush(Number(value)));
    this.views = segmented("colour", VIEWS, (value) => this.send("view", value));
    this.problems = problemsLine();
    this.caption = make("p", "tc-caption");
    this.caption.setAttribute("aria-live", "polite");
    this.text = make("div", "tc-text");
    this.text.setAttribute("role", "listbox");
    this.text.setAttribute("aria-label", "the text, token by token");
    this.chips = tokens.map((token, place) => this.chip(token, place));
    this.text.append(...this.chips);
    this.text.addEventListener("keydown", (event) => this.key(event));
    this.colours = new Legend();
    this.unit = make("p", "tc-under");
    this.reading = make("div", "tc-reading tc-sum");
    this.reading.setAttribute("aria-live", "polite");
    this.map = new Heatmap({ onCursor: (cell) => this.point(cell) });
    this.cell = make("p", "tc-sum");
    this.cell.setAttribute("aria-live", "polite");
    this.legend = new Legend();
    const top = make("div", "tc-row", {}, this.views.el, this.silence.el);
    const hint = make("p", "tc-keysline", {}, "Choose a token, or go from one to the next with the arrow keys. The first one is read, and nobody is asked for it.");
    const maps = make("div", "tc-maps", {}, this.map.el, this.cell, this.legend.el);
    this.root = root(el, "losses", top, this.problems.el, this.caption, this.text, this.colours.el, this.unit, this.reading, maps, hint);
  }

  chip(token, place) {
    const el = make("span", "tc-token", {}, visible(token));
    el.setAttribute("role", "option");
    if (place) el.addEventListener("click", () => this.go(place, true));
    else el.setAttribute("aria-disabled", "true");
    return el;
  }

  key(event) {
    const to = placeAfter(this.sender.get("token"), event.key, this.chips.length - 1);
    if (to === null) return;
    event.preventDefault();
    this.go(to, true);
  }

  go(place, focus) {
    this.cursor = null;
    this.send("token", place);
    if (focus) this.chips[place].focus();
  }

  // Without a silenced head there is no change to be seen: choosing one shows it, choosing none shows the loss.
  hush(head) {
    this.send("silenced", head);
    this.send("view", head === NONE ? "loss" : "change");
  }

  send(name, value) {
    this.sender.send(name, value);
    this.redraw();
  }

  point(cell) {
    this.cursor = cell;
    this.redraw();
  }

  draw() {
    if (!this.root.clientWidth) return;
    this.theme = readTheme(this.root);
    this.data = this.model.get("data");
    this.place = clamp(this.sender.get("token"), 1, this.chips.length - 1);
    this.silenced = clamp(this.sender.get("silenced"), NONE, this.data.heads.length - 1);
    this.losses = matrix(unpack(this.data.losses));
    this.silence.input.value = String(this.silenced);
    const view = this.silenced === NONE ? "loss" : this.sender.get("view");
    this.views.buttons[1].disabled = this.silenced === NONE;
    this.views.choose(view);
    this.problems.show(this.data.problems);
    this.sayMean();
    this.drawText(view);
    this.readOut();
    this.drawMap();
  }

  sayMean() {
    const plain = meanOf(rowOf(this.losses, 0));
    const without = this.silenced === NONE ? "" : `; ${number(meanOf(rowOf(this.losses, this.silenced + 1)))} with ${headName(this.data.heads[this.silenced])} silenced`;
    this.say(this.caption, `${number(plain)} nats a token on average${without}.`);
  }

  say(el, text) {
    if (el.textContent !== text) el.textContent = text;
  }

  drawText(view) {
    const values = shownValues(this.losses, this.silenced, view);
    const kind = view === "change" ? "signed" : "weights";
    const limit = limitOf(values);
    this.chips.forEach((chip, place) => {
      const here = place === this.place;
      chip.tabIndex = here ? 0 : -1;
      chip.setAttribute("aria-selected", String(here));
      chip.classList.toggle("tc-here", here);
      if (!place) return;
      const value = values[place - 1];
      const colour = Number.isNaN(value) ? null : colourOf(value, kind, limit, this.theme.dark);
      Object.assign(chip.style, colour ? { background: css(colour), color: inkOn(colour) } : { background: "", color: "" });
      chip.setAttribute("aria-label", `${visible(this.data.tokens[place])}, ${number(value)} nats`);
      chip.title = `${number(value)} nats`;
    });
    this.colours.update({ kind, limit }, this.theme);
    this.say(this.unit, unitText(view));
  }

  readOut() {
    const row = this.place - 1;
    const ranks = matrix(unpack(this.data.ranks));
    const silenced = this.silenced + 1;
    const without = silenced ? { head: this.data.heads[this.silenced], loss: at(this.losses, silenced, row), rank: at(ranks, silenced, row) } : null;
    const text = costText(visible(this.data.tokens[this.place]), at(this.losses, 0, row), at(ranks, 0, row), without);
    if (this.said === text) return;
    this.said = text;
    const lists = [this.likeliest("likeliest here", 0, row)];
    if (silenced) lists.push(this.likeliest(`without ${headName(this.data.heads[this.silenced])}`, silenced, row));
    this.reading.replaceChildren(make("h4", "", {}, text), make("div", "tc-likely", {}, ...lists));
  }

  likeliest(title, run, row) {
    const [ids, best] = [this.data.bestIds, this.data.best].map((entry) => rowOf(matrix(unpack(entry), run), row));
    const names = ids.map((id) => visible(this.data.names[String(id)] ?? "?"));
    const answer = visible(this.data.tokens[this.place]);
    return likelyList(title, names, best, answer);
  }

  // Every head's row for the query that predicts the chosen token: the place before it.
  drawMap() {
    const { heads, tokens } = this.data;
    this.map.el.hidden = !heads.length;
    if (!heads.length) return;
    const weights = unpack(this.data.weights);
    const cols = this.place;
    const values = new Float32Array(heads.length * cols);
    heads.forEach((_, head) => values.set(rowOf(matrix(weights, head), this.place - 1).slice(0, cols), head * cols));
    this.read = { values, rows: heads.length, cols };
    if (this.cursor && this.cursor.col >= cols) this.cursor = null;
    const spec = {
      values: this.read, kind: "weights", limit: 1, mask: null, rowNames: heads, colNames: tokens.slice(0, cols).map(visible),
      rowAxis: "block.head", colAxis: "token (is read)", name: "what each head read for it", cursor: this.cursor,
      frames: this.silenced === NONE ? [] : [{ row: this.silenced, col: 0, rows: 1, cols }],
    };
    this.map.update(spec, this.theme, { width: this.root.clientWidth - 32, height: 18 * heads.length });
    this.legend.update({ ...spec, ...this.map.patterns() }, this.theme);
    this.say(this.cell, this.cursor ? this.cellText() : "");
  }

  cellText() {
    const { row, col } = this.cursor;
    return `Block ${this.data.heads[row].replace(".", ", head ")} read “${visible(this.data.tokens[col])}” with ${number(at(this.read, row, col))}.`;
  }

  destroy() {
    this.stop();
  }
}

export default {
  render({ model, el }) {
    const losses = new Losses(model, el);
    return () => losses.destroy();
  },
};
