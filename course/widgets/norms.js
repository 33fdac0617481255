// Which numbers share a mean? Point at a number: its group stays bright, and its arithmetic is written out.
import { histogram, mean, normText, sameGroup, spread } from "./arithmetic.js";
import { make, problemsLine, root, segmented, select, slider } from "./controls.js";
import { Heatmap, Legend, fit, patterns } from "./heatmap.js";
import { at, matrix, unpack } from "./matrices.js";
import { number, short } from "./numbers.js";
import { onChange, perFrame, readTheme } from "./theme.js";

const KINDS = ["LayerNorm", "BatchNorm", "RMSNorm"];
const CAPTIONS = {
  LayerNorm: "Each token on its own: its features share one mean and one variance.",
  BatchNorm: "Each feature on its own: all tokens share its mean and variance.",
  RMSNorm: "Each token on its own, and no mean is taken away: only the size is set to 1.",
};
const TRAITS = ["data", "kind", "eps", "weight", "bias"];
const WAIT = 60;
const BINS = 16;
const OFF = -6.5;

class Norms {
  constructor(model, el) {
    this.model = model;
    this.cursor = { row: 0, col: 0 };
    this.feature = "all";
    this.build(el);
    this.redraw = perFrame(() => this.draw());
    TRAITS.forEach((name) => model.on(`change:${name}`, this.redraw));
    this.stop = onChange(this.root, this.redraw);
    this.draw();
  }

  build(el) {
    this.kinds = segmented("normalization", KINDS.map((kind) => ({ value: kind, text: kind })), (kind) => this.send("kind", kind));
    this.caption = make("p", "tc-caption");
    this.problems = problemsLine();
    const shared = { onCursor: (cell) => this.move(cell) };
    this.before = new Heatmap(shared);
    this.after = new Heatmap(shared);
    this.legends = [new Legend(), new Legend()];
    this.canvases = [make("canvas", "tc-histogram"), make("canvas", "tc-histogram")];
    this.canvases.forEach((canvas) => canvas.setAttribute("role", "img"));
    this.reading = make("div", "tc-sum");
    this.reading.setAttribute("aria-live", "polite");
    const columns = [this.before, this.after].map((map, i) => make("div", "", {}, map.el, this.legends[i].el, this.canvases[i]));
    const top = make("div", "tc-row", {}, this.kinds.el);
    const hint = make("p", "tc-keysline", {}, "Point at a number, or use the arrow keys: bright numbers share its statistics.");
    this.root = root(
      el, "norms", top, this.caption, this.problems.el, make("div", "tc-stage", {}, ...columns), this.reading, this.controls(), hint,
    );
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
    if (cell.row === this.cursor.row && cell.col === this.cursor.col) return;
    this.cursor = cell;
    this.redraw();
  }

  draw() {
    if (!this.root.clientWidth) return;
    this.theme = readTheme(this.root);
    this.data = this.model.get("data");
    this.tables = { before: matrix(unpack(this.data.before)), after: matrix(unpack(this.data.after)) };
    this.kinds.choose(this.data.kind);
    this.caption.textContent = CAPTIONS[this.data.kind];
    this.problems.show(this.data.problems, this.data.yours ? ["No problems: yours agrees with PyTorch's."] : []);
    this.follow();
    this.bias.input.disabled = this.data.kind === "RMSNorm";
    this.maps();
    this.readOut();
  }

  maps() {
    const { rows, features, limits, kind, yours } = this.data;
    const inner = this.root.clientWidth - 32;
    const width = inner > 540 ? (inner - 28) / 2 : inner;
    const shared = {
      rowNames: rows, colNames: features, rowAxis: this.data.batched ? "item \u00b7 token" : "token", colAxis: "feature", kind: "signed", mask: null, cursor: this.cursor,
      group: (cell) => sameGroup(kind, this.cursor, cell),
    };
    const names = { before: "before", after: `after ${kind}, ${yours ? "yours" : "PyTorch's"}` };
    ["before", "after"].forEach((side, i) => {
      const spec = { ...shared, values: this.tables[side], limit: limits[side], name: names[side] };
      this[side].update(spec, this.theme, { width, height: 340 });
      this.legends[i].update({ ...spec, ...patterns(spec) }, this.theme);
      this.histogram(this.canvases[i], side, Math.min(width, 300));
    });
  }

  groupOf(side) {
    const { values, cols } = this.tables[side];
    const inGroup = (_, i) => sameGroup(this.data.kind, this.cursor, { row: Math.floor(i / cols), col: i % cols });
    return Array.from(values).filter(inGroup);
  }

  // All numbers in grey, the group of the cursor in colour, its mean as a line.
  histogram(canvas, side, width) {
    const all = Array.from(this.tables[side].values).filter(Number.isFinite);
    const group = this.groupOf(side);
    const place = { width, height: 92 };
    const pen = canvas.getContext("2d");
    fit(canvas, pen, place);
    const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)];
    const counts = [histogram(all, low, high, BINS), histogram(group, low, high, BINS)];
    const tall = 64 / Math.max(...counts[0], 1);
    const step = (width - 8) / BINS;
    [this.theme.line, this.theme.accent].forEach((colour, layer) => {
      pen.fillStyle = colour;
      counts[layer].forEach((n, bin) => pen.fillRect(4 + bin * step + 1, 70 - n * tall, step - 2, n * tall));
    });
    this.histogramAxis(pen, { low, high, width, centre: mean(group) });
    canvas.setAttribute("aria-label", `Histogram ${side}: from ${number(low)} to ${number(high)}; mean of the group ${number(mean(group))}.`);
  }

  histogramAxis(pen, { low, high, width, centre }) {
    const shown = Math.abs(centre) < 1e-6 * (high - low) ? 0 : centre;
    const place = (x) => 4 + ((x - low) / (high - low || 1)) * (width - 8);
    pen.fillStyle = this.theme.line;
    pen.fillRect(4, 70, width - 8, 1);
    pen.fillStyle = this.theme.ink;
    pen.fillRect(place(centre) - 0.75, 4, 1.5, 70);
    pen.font = `11px ${this.theme.font}`;
    pen.fillStyle = this.theme.soft;
    pen.textBaseline = "top";
    [[low, "left"], [high, "right"]].forEach(([x, align]) => {
      pen.textAlign = align;
      pen.fillText(number(x), place(x), 77);
    });
    const right = place(centre) > width / 2;
    pen.fillStyle = this.theme.ink;
    pen.textAlign = right ? "right" : "left";
    pen.fillText(`mean of the group ${number(shown)}`, place(centre) + (right ? -5 : 5), 3);
  }

  readOut() {
    const { row, col } = this.cursor;
    const { kind, eps, rows, features } = this.data;
    const group = this.groupOf("before");
    const { centre, variance } = spread(group, kind);
    const facts = kind === "RMSNorm" ? `mean square ${short(variance)}` : `mean ${short(centre)}, variance ${short(variance)}`;
    const text = normText(at(this.tables.before, row, col), group, kind, eps, this.model.get("weight")[col], this.model.get("bias")[col]);
    const lines = [`\u201c${rows[row]}\u201d, feature ${features[col]}, and ${group.length - 1} more: ${facts}.`, text];
    const got = number(at(this.tables.after, row, col));
    if (!text.endsWith(`= ${got}`)) lines.push(`shown: ${got}`);
    const state = lines.join("\n");
    if (this.said === state) return;
    this.said = state;
    this.reading.replaceChildren(...lines.map((line, i) => make("p", i === 2 ? "tc-off" : "", {}, line)));
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
