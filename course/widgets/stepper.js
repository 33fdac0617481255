// Attention one step at a time: five stages, yours and the stand-in's, and the arithmetic of the cell you point at.
import { dot, dotText, mixText, scaledText, softmaxText } from "./arithmetic.js";
import { make, problemsLine, root, segmented, select, strip } from "./controls.js";
import { Heatmap, Legend } from "./heatmap.js";
import { at, columnOf, matrix, minus, rowOf, unpack } from "./matrices.js";
import { cellText, number, short } from "./numbers.js";
import { colourOf, css, inkOn } from "./palette.js";
import { weightProblems } from "./problems.js";
import { onChange, perFrame, readTheme } from "./theme.js";

const STAGES = [
  { key: "raw", text: "1  q\u00b7k", name: "dot products", kind: "signed", limit: "scores" },
  { key: "scores", text: "2  \u00f7 \u221ad", name: "scaled scores", kind: "signed", limit: "scores" },
  { key: "scores", text: "3  mask", name: "masked scores", kind: "signed", limit: "scores", masked: true },
  { key: "weights", text: "4  softmax", name: "weights", kind: "weights", limit: "weights", masked: true },
  { key: "output", text: "5  \u00d7 v", name: "output", kind: "signed", limit: "output" },
];
const CAPTIONS = [
  "How well does each query match each key? One dot product a cell.",
  "Divided by \u221ad, so that the numbers do not grow with the width. Same colours: watch them pale.",
  "Hatched keys may not be read. They have no number any more; they take no part in the softmax.",
  "Each row becomes shares of what it may read. Every row sums to 1.",
  "Each output is the values, mixed by the weights of its row.",
];
const VIEWS = [
  { value: "mine", text: "yours" },
  { value: "stand-in", text: "stand-in" },
  { value: "difference", text: "difference" },
];
const CHIPS = 8;

class Stepper {
  constructor(model, el) {
    this.model = model;
    this.cursor = { row: 0, col: 0 };
    this.build(el);
    this.redraw = perFrame(() => this.draw());
    ["stage", "view", "head", "data"].forEach((name) => model.on(`change:${name}`, this.redraw));
    this.stop = onChange(this.root, this.redraw);
    this.read();
    this.draw();
  }

  build(el) {
    const set = (name) => (value) => this.set(name, value);
    const width = this.model.get("data").q.shape.at(-1);
    const stages = STAGES.map(({ text, name }, i) => ({ value: i + 1, text: text.replace("\u221ad", `\u221a${width}`), title: name }));
    this.stages = segmented("stage", stages, set("stage"));
    this.stages.el.classList.add("tc-stages");
    this.views = segmented("whose numbers", VIEWS, set("view"));
    this.problems = problemsLine();
    this.caption = make("p", "tc-caption");
    this.heatmap = new Heatmap({ onCursor: (cell) => this.move(cell), onKey: (key) => this.page(key) });
    this.legend = new Legend();
    this.reading = make("div", "tc-reading");
    this.reading.setAttribute("aria-live", "polite");
    this.row = make("div", "tc-row", {}, this.views.el);
    const hint = make("p", "tc-keysline", {}, "Point at a cell, or use the arrow keys on the map; Page Up and Page Down change the step.");
    const top = make("div", "tc-row", {}, this.stages.el);
    const stage = make("div", "tc-stage", {}, this.heatmap.el, this.reading);
    this.root = root(el, "stepper", top, this.caption, this.problems.el, this.row, stage, this.legend.el, hint);
  }

  set(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
    this.redraw();
  }

  page(key) {
    const step = { PageUp: -1, PageDown: 1 }[key];
    if (step) this.set("stage", Math.min(5, Math.max(1, this.model.get("stage") + step)));
    return Boolean(step);
  }

  move(cell) {
    if (cell.row === this.cursor.row && cell.col === this.cursor.col) return;
    this.cursor = cell;
    this.redraw();
  }

  // Bytes to numbers once, not at every frame.
  read() {
    const data = this.model.get("data");
    if (data === this.data) return;
    this.data = data;
    const run = (packed) => packed && Object.fromEntries(Object.entries(packed).map(([k, x]) => [k, unpack(x)]));
    this.numbers = { mine: run(data.mine), standIn: run(data.standIn) };
    this.inputs = Object.fromEntries(["q", "k", "v", "mask"].map((name) => [name, unpack(data[name])]));
    this.headChoice();
  }

  headChoice() {
    const heads = this.data.q.shape[0];
    if (heads < 2 || this.heads) return;
    const options = Array.from({ length: heads }, (_, i) => [i, `head ${i}`]);
    this.heads = select("head", options, this.model.get("head"), (x) => this.set("head", Number(x)));
    this.row.append(this.heads.el);
  }

  part(whose, key) {
    return matrix(this.numbers[whose]?.[key], this.head);
  }

  // What is to be shown; where yours is missing, the stand-in's.
  panel(view, key) {
    const theirs = this.part("standIn", key);
    const mine = this.part("mine", key);
    if (view === "stand-in" || !mine) return theirs ?? mine;
    return view === "difference" && theirs ? minus(mine, theirs) : mine;
  }

  draw() {
    if (!this.root.clientWidth) return;
    this.read();
    this.head = Math.min(this.model.get("head"), this.data.q.shape[0] - 1);
    this.inputs.head = Object.fromEntries(
      ["q", "k", "v", "mask"].map((name) => [name, matrix(this.inputs[name], this.head)]),
    );
    this.theme = readTheme(this.root);
    this.step = STAGES[this.model.get("stage") - 1];
    this.view = this.data.mine ? this.model.get("view") : "stand-in";
    this.controls();
    this.drawMap();
    this.readOut();
  }

  controls() {
    this.stages.choose(this.model.get("stage"));
    this.views.choose(this.view);
    this.views.el.hidden = !this.data.mine;
    this.row.hidden = !this.data.mine && !this.heads;
    if (this.heads) this.heads.input.value = this.head;
    this.caption.textContent = CAPTIONS[this.model.get("stage") - 1];
    this.problems.show(this.wrong(), this.data.mine ? ["No problems: yours agrees with the stand-in at every stage."] : []);
  }

  wrong() {
    const weights = this.panel("mine", "weights");
    const said = this.data.comparison[this.head];
    const found = weights ? weightProblems(weights, this.inputs.head.mask, this.data.tokens, this.data.keys) : [];
    return [...this.data.troubles, ...(said ? [said] : []), ...found];
  }

  spec() {
    const { key, kind, limit, masked, name } = this.step;
    const values = this.panel(this.view, key);
    this.cursor = { row: Math.min(this.cursor.row, values.rows - 1), col: Math.min(this.cursor.col, values.cols - 1) };
    const whose = { mine: "yours", "stand-in": "stand-in", difference: "yours minus stand-in" }[this.view];
    const missing = this.view === "mine" && !this.part("mine", key);
    return {
      values,
      kind: this.view === "difference" ? "signed" : kind,
      limit: this.data.limits[limit],
      mask: masked ? this.inputs.head.mask : null,
      rowNames: this.data.tokens,
      colNames: key === "output" ? this.data.features : this.data.keys,
      rowAxis: "query (asks)",
      colAxis: key === "output" ? "feature of the value" : "key (is read)",
      name: `${name}, ${missing ? "stand-in" : whose}`,
      cursor: this.cursor,
    };
  }

  drawMap() {
    const spec = this.spec();
    const inner = this.root.clientWidth - 32;
    const side = spec.values.cols <= 7 && inner > 560;
    this.heatmap.update(spec, this.theme, { width: side ? inner - 270 : inner, height: 420 });
    this.legend.update({ ...spec, ...this.heatmap.patterns() }, this.theme);
  }

  // ---- the cell under the pointer ----

  readOut() {
    const { row, col } = this.cursor;
    const { tokens, keys, features } = this.data;
    const output = this.step.key === "output";
    const place = output ? `output of \u201c${tokens[row]}\u201d, feature ${features[col]}` : `\u201c${tokens[row]}\u201d asks, \u201c${keys[col]}\u201d is read`;
    const { strips, text } = this.explain(row, col);
    const lines = [make("p", "", {}, text), ...this.verdict(row, col)];
    const state = JSON.stringify([place, text, this.step.name, this.view, this.theme.dark, lines.map((l) => l.textContent)]);
    if (this.said === state) return;
    this.said = state;
    this.reading.replaceChildren(make("h4", "", {}, place), ...strips, make("div", "tc-sum", {}, ...lines));
  }

  explain(row, col) {
    return [
      () => this.explainDot(row, col),
      () => ({ strips: [], text: scaledText(this.raw(row, col), this.inputs.head.q.cols) }),
      () => this.explainMask(row, col),
      () => this.explainSoftmax(row, col),
      () => this.explainMix(row, col),
    ][this.model.get("stage") - 1]();
  }

  raw(row, col) {
    return dot(rowOf(this.inputs.head.q, row), rowOf(this.inputs.head.k, col));
  }

  allowed(row) {
    const { mask } = this.inputs.head;
    return mask ? rowOf(mask, row).map((m) => m > 0) : this.data.keys.map(() => true);
  }

  explainDot(row, col) {
    const { tokens, keys } = this.data;
    const [q, k] = [rowOf(this.inputs.head.q, row), rowOf(this.inputs.head.k, col)];
    const limit = Math.max(...this.inputs.head.q.values.map(Math.abs), ...this.inputs.head.k.values.map(Math.abs), 1e-9);
    const strips = [strip(`q[${tokens[row]}]`, this.chips(q, "signed", limit)), strip(`k[${keys[col]}]`, this.chips(k, "signed", limit))];
    return { strips, text: dotText(q, k, tokens[row], keys[col]) };
  }

  explainMask(row, col) {
    const open = this.allowed(row);
    const scores = rowOf(this.panel("stand-in", "scores"), row);
    const strips = [strip("row", this.chips(scores, "signed", this.data.limits.scores, { open, here: col }))];
    const stays = `may look: ${short(scores[col])} stays`;
    return { strips, text: open[col] ? stays : "may not look: the score is taken out, whatever it was" };
  }

  explainSoftmax(row, col) {
    const open = this.allowed(row);
    const scores = rowOf(this.panel("stand-in", "scores"), row);
    const weights = rowOf(this.panel("stand-in", "weights"), row);
    const mark = { open, here: col };
    const strips = [
      strip("scores", this.chips(scores, "signed", this.data.limits.scores, mark)),
      strip("weights", this.chips(weights, "weights", 1, mark)),
    ];
    return { strips, text: softmaxText(scores, open, col) };
  }

  explainMix(row, col) {
    const weights = rowOf(this.panel("stand-in", "weights"), row);
    const values = columnOf(this.inputs.head.v, col);
    const strips = [
      strip("weights", this.chips(weights, "weights", 1, { open: this.allowed(row) })),
      strip(this.data.features[col], this.chips(values, "signed", this.data.limits.output)),
    ];
    return { strips, text: mixText(weights, values) };
  }

  chips(values, kind, limit, { open = null, here = -1 } = {}) {
    const chips = values.map((value, i) => {
      if (open && !open[i]) return { text: "\u00a0", masked: true, here: i === here };
      const colour = colourOf(value, kind, limit, this.theme.dark);
      return { text: cellText(value, 60), back: css(colour), ink: inkOn(colour), here: i === here };
    });
    if (chips.length <= CHIPS) return chips;
    const from = Math.min(Math.max(0, here - CHIPS + 2), chips.length - CHIPS);
    const rest = chips.length - CHIPS;
    return [...chips.slice(from, from + CHIPS), { gap: `+ ${rest} more` }];
  }

  // What yours says here, where it is not what the arithmetic says.
  verdict(row, col) {
    const [mine, theirs] = [this.part("mine", this.step.key), this.part("standIn", this.step.key)];
    if (!mine || !theirs) return [];
    const gap = at(minus(mine, theirs), row, col);
    if (gap === 0) return [make("p", "", {}, `yours: ${number(at(mine, row, col))}, the same`)];
    return [make("p", "tc-off", {}, `yours: ${number(at(mine, row, col))}, off by ${number(gap)}`)];
  }

  destroy() {
    this.stop();
    ["stage", "view", "head", "data"].forEach((name) => this.model.off(`change:${name}`, this.redraw));
  }
}

export default {
  render({ model, el }) {
    const stepper = new Stepper(model, el);
    return () => stepper.destroy();
  },
};
