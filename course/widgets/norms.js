// Which numbers share a mean? Point at a number: its group stays bright, and its arithmetic is written out.
import { histogram, mean, normText, sameGroup, spread } from "./arithmetic.js";
import { make, problemsLine, root, segmented, select, slider } from "./controls.js";
import { Heatmap, Legend, fit } from "./heatmap.js";
import { at, matrix, unpack } from "./matrices.js";
import { number, short } from "./numbers.js";
import { onChange, perFrame, readTheme } from "./theme.js";

const TRAITS = ["data", "kind", "eps", "weight", "bias"];
const WAIT = 60;
// Odd: one bar stands around 0, so that rounding does not decide on which side a zero is counted.
const BINS = 21;
// The histogram from top to bottom: a line of words, the bars, the axis with its numbers.
const PLOT = { top: 20, foot: 84, height: 106 };
const ASK = "Which numbers share the statistics of a cell? Point at it, or press Tab until the table has the focus.";
const OFF = -6.5;

class Norms {
  constructor(model, el) {
    this.model = model;
    // Nothing is chosen at first: a group that is lit would answer the lesson's question.
    this.cursor = null;
    this.feature = "all";
    this.build(el);
    this.redraw = perFrame(() => this.draw());
    TRAITS.forEach((name) => model.on(`change:${name}`, this.redraw));
    this.stop = onChange(this.root, this.redraw);
    this.draw();
  }

  build(el) {
    this.kinds = segmented("normalization", this.tabs(), (kind) => this.send("kind", kind));
    this.problems = problemsLine();
    const shared = { onCursor: (cell) => this.move(cell) };
    this.before = new Heatmap(shared);
    this.after = new Heatmap(shared);
    this.legends = [new Legend(), new Legend()];
    this.canvases = [make("canvas", "tc-histogram"), make("canvas", "tc-histogram")];
    this.canvases.forEach((canvas) => canvas.setAttribute("role", "img"));
    this.widened = [make("p", "tc-widened"), make("p", "tc-widened")];
    this.colours = make("p", "tc-keys tc-colours");
    this.reading = make("div", "tc-sum");
    this.reading.setAttribute("aria-live", "polite");
    const columns = [this.before, this.after].map((map, i) => make("div", "", {}, map.el, this.legends[i].el, this.canvases[i], this.widened[i]));
    const top = make("div", "tc-row", {}, this.kinds.el);
    const hint = make("p", "tc-keysline", {}, "Arrow keys move the cursor. Bright numbers share the statistics of the one under it.");
    this.root = root(
      el, "norms", top, this.problems.el, make("div", "tc-stage", {}, ...columns), this.colours, this.reading, this.controls(), hint,
    );
  }

  tabs() {
    return Object.entries(this.model.get("data").uses).map(([kind, note]) => ({ value: kind, text: kind, note }));
  }

  controls() {
    this.eps = slider(
      "eps", { min: OFF, max: 2, step: 0.5, value: toPower(this.model.get("eps")) }, (x) => short(toEps(x)), (x) => this.send("eps", toEps(x)),
    );
    const one = { min: -2, max: 3, step: 0.1 };
    this.weight = slider("weight", { ...one, value: 1 }, number, (x) => this.affine("weight", x));
    this.bias = slider("bias", { ...one, value: 0 }, number, (x) => this.affine("bias", x));
    const names = this.model.get("data").features.map((name, i) => [i, name]);
    this.which = select("of feature", [["all", "all"], ...names], "all", (x) => this.chooseFeature(x));
    return make("div", "tc-controls", {}, this.eps.el, this.weight.el, this.bias.el, this.which.el);
  }

  chooseFeature(feature) {
    this.feature = feature;
    this.follow();
  }

  // The sliders show what the model holds, also after Python changed it, but never fight the hand that moves them.
  follow() {
    if (Object.keys(this.pending ?? {}).length) return;
    const i = this.feature === "all" ? 0 : Number(this.feature);
    this.eps.set(toPower(this.model.get("eps")));
    this.weight.set(this.model.get("weight")[i]);
    this.bias.set(this.model.get("bias")[i]);
  }

  affine(name, value) {
    const all = this.pending?.[name] ?? this.model.get(name);
    this.send(name, all.map((old, i) => (this.feature === "all" || Number(this.feature) === i ? value : old)));
  }

  send(name, value) {
    this.pending = { ...this.pending, [name]: value };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), WAIT);
  }

  flush() {
    Object.entries(this.pending).forEach(([name, value]) => this.model.set(name, value));
    this.pending = {};
    this.model.save_changes();
    this.redraw();
  }

  move(cell) {
    if (cell.row === this.cursor?.row && cell.col === this.cursor?.col) return;
    this.cursor = cell;
    this.redraw();
  }

  draw() {
    if (!this.root.clientWidth) return;
    this.theme = readTheme(this.root);
    this.data = this.model.get("data");
    this.tables = { before: matrix(unpack(this.data.before)), after: matrix(unpack(this.data.after)) };
    this.kinds.choose(this.data.kind);
    this.problems.show(this.data.problems, this.data.yours ? ["No problems: yours agrees with PyTorch's."] : []);
    this.follow();
    this.bias.input.disabled = this.data.kind === "RMSNorm";
    this.maps();
    this.colourKeys();
    this.readOut();
  }

  maps() {
    const { rows, features, limits, kind, yours } = this.data;
    const inner = this.root.clientWidth - 32;
    const width = inner > 540 ? (inner - 28) / 2 : inner;
    const shared = {
      rowNames: rows, colNames: features, rowAxis: this.data.batched ? "item \u00b7 token" : "token", colAxis: "feature", kind: "signed", mask: null, cursor: this.cursor,
      group: this.cursor && ((cell) => sameGroup(kind, this.cursor, cell)),
    };
    const names = { before: "before", after: `after ${kind}, ${yours ? "yours" : "PyTorch's"}` };
    ["before", "after"].forEach((side, i) => {
      const spec = { ...shared, values: this.tables[side], limit: limits[side], name: names[side] };
      this[side].update(spec, this.theme, { width, height: 340 });
      this.legends[i].update({ ...spec, ...this[side].patterns() }, this.theme);
      this.histogram(this.canvases[i], side, Math.min(width, 300));
      this.sayWidened(this.widened[i], side);
    });
  }

  groupOf(side) {
    const { values, cols } = this.tables[side];
    const inGroup = (_, i) => sameGroup(this.data.kind, this.cursor, { row: Math.floor(i / cols), col: i % cols });
    return this.cursor ? Array.from(values).filter(inGroup) : [];
  }

  // All numbers in grey, before them the group of the cursor in blue, its mean as a line.
  histogram(canvas, side, width) {
    const all = Array.from(this.tables[side].values).filter(Number.isFinite);
    const group = this.groupOf(side);
    const end = this.data.ends[side];
    const pen = canvas.getContext("2d");
    fit(canvas, pen, { width, height: PLOT.height });
    const counts = [histogram(all, -end, end, BINS), histogram(group, -end, end, BINS)];
    const tall = (PLOT.foot - PLOT.top) / Math.max(...counts[0], 1);
    const step = (width - 8) / BINS;
    [this.theme.others, this.theme.accent].forEach((colour, layer) => {
      pen.fillStyle = colour;
      counts[layer].forEach((n, bin) => pen.fillRect(4 + bin * step + 1, PLOT.foot - n * tall, step - 2, n * tall));
    });
    this.axis(pen, end, width);
    if (group.length) this.centre(pen, mean(group), end, width);
    canvas.setAttribute("aria-label", this.histogramText(side, all, group));
  }

  histogramText(side, all, group) {
    const end = number(this.data.ends[side]);
    const range = all.length ? `numbers from ${number(Math.min(...all))} to ${number(Math.max(...all))}` : "no finite numbers";
    const centre = group.length ? `; mean of the group ${number(mean(group))}` : "";
    return `Histogram ${side}, axis from \u2212${end} to ${end}: ${range}${centre}.`;
  }

  axis(pen, end, width) {
    pen.fillStyle = this.theme.line;
    pen.fillRect(4, PLOT.foot, width - 8, 1);
    pen.font = `11px ${this.theme.font}`;
    pen.fillStyle = this.theme.soft;
    pen.textBaseline = "top";
    [[-end, 4, "left"], [0, width / 2, "center"], [end, width - 4, "right"]].forEach(([x, place, align]) => {
      pen.textAlign = align;
      pen.fillText(short(x), place, PLOT.foot + 7);
    });
  }

  centre(pen, centre, end, width) {
    const place = width / 2 + (centre / end) * (width / 2 - 4);
    const shown = Math.abs(centre) < 1e-6 * end ? 0 : centre;
    const right = place > width / 2;
    pen.fillStyle = this.theme.ink;
    pen.fillRect(place - 0.75, 4, 1.5, PLOT.foot);
    pen.textAlign = right ? "right" : "left";
    pen.fillText(`mean of the group ${number(shown)}`, place + (right ? -5 : 5), 3);
  }

  // A moved axis makes still numbers look moved: say so.
  sayWidened(line, side) {
    const { ends, reach } = this.data;
    const wide = side === "after" && ends.after > reach;
    line.textContent = wide ? `axis widened to \u00b1${short(ends.after)}: some numbers are beyond \u00b1${short(reach)}` : "";
  }

  colourKeys() {
    const keys = this.cursor
      ? [["tc-blue", "blue: the group under the cursor"], ["tc-grey", "grey: all others"]]
      : [["tc-grey", "grey: all numbers"]];
    if (this.colours.childElementCount === keys.length) return;
    this.colours.replaceChildren(
      ...keys.map(([swatch, text]) => make("span", "tc-key", {}, make("i", `tc-swatch ${swatch}`), text)),
    );
  }

  readOut() {
    const lines = this.cursor ? this.lines() : [ASK];
    const state = lines.join("\n");
    if (this.said === state) return;
    this.said = state;
    this.reading.replaceChildren(...lines.map((line, i) => make("p", i === 2 ? "tc-off" : "", {}, line)));
  }

  lines() {
    const { row, col } = this.cursor;
    const { kind, eps, rows, features } = this.data;
    const group = this.groupOf("before");
    const { centre, variance } = spread(group, kind);
    const facts = kind === "RMSNorm" ? `mean square ${short(variance)}` : `mean ${short(centre)}, variance ${short(variance)}`;
    const text = normText(at(this.tables.before, row, col), group, kind, eps, this.model.get("weight")[col], this.model.get("bias")[col]);
    const lines = [`\u201c${rows[row]}\u201d, feature ${features[col]}, and ${group.length - 1} more: ${facts}.`, text];
    const got = number(at(this.tables.after, row, col));
    return text.endsWith(`= ${got}`) ? lines : [...lines, `shown: ${got}`];
  }

  destroy() {
    this.stop();
    clearTimeout(this.timer);
    TRAITS.forEach((name) => this.model.off(`change:${name}`, this.redraw));
  }
}

function toPower(eps) {
  return eps > 0 ? Math.log10(eps) : OFF;
}

function toEps(power) {
  return power <= OFF ? 0 : 10 ** power;
}

export default {
  render({ model, el }) {
    const norms = new Norms(model, el);
    return () => norms.destroy();
  },
};
