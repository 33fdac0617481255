// A deep stack, with and without residual and norm: the spread of the stream and the gradient, block by block.
import { make, problemsLine, root, segmented, slider } from "./controls.js";
import { clamp } from "./layout.js";
import { LineChart, decades } from "./lines.js";
import { matrix, rowOf, unpack } from "./matrices.js";
import { number } from "./numbers.js";
import { SILENCE, Sender } from "./sender.js";
import { onChange, perFrame, readTheme } from "./theme.js";

const TRAITS = ["data", "depth", "init", "seed", "shown"];
const LOOKS = [
  { series: "series2", dash: [2, 3], css: "tc-line2 tc-dotted" },
  { series: "series4", dash: [8, 4], css: "tc-line4 tc-dashed" },
  { series: "series1", dash: [], css: "tc-line1" },
  { series: "series3", dash: [10, 3, 2, 3], css: "tc-line3 tc-dashdot" },
];

class Residuals {
  constructor(model, el) {
    this.model = model;
    this.block = Math.ceil(model.get("depth") / 2);
    this.sender = new Sender(model, ["depth", "init", "seed"], () => this.problems.show([SILENCE]));
    this.build(el);
    this.redraw = perFrame(() => this.draw());
    this.heard = () => this.hear();
    TRAITS.forEach((name) => model.on(`change:${name}`, this.heard));
    this.stop = onChange(this.root, this.redraw);
    this.draw();
  }

  build(el) {
    const { inits, deepest } = this.model.get("data");
    const options = Object.entries(inits).map(([value, text]) => ({ value, text }));
    this.inits = segmented("initialisation", options, (init) => this.send("init", init));
    this.problems = problemsLine();
    this.choices = make("div", "tc-choices");
    this.choices.setAttribute("role", "group");
    this.choices.setAttribute("aria-label", "arrangements that are shown");
    this.charts = [0, 1].map(() => new LineChart({ onCursor: (x) => this.move(x) }));
    this.reading = make("div", "tc-sum tc-table");
    this.reading.setAttribute("aria-live", "polite");
    this.caption = make("p", "tc-keysline");
    this.depth = slider("depth", { min: 1, max: deepest, step: 1, value: 1 }, (x) => `${x} ${x === 1 ? "block" : "blocks"}`, (x) => this.send("depth", x));
    this.again = make("button", "tc-button", { type: "button" }, "draw again");
    this.again.addEventListener("click", () => this.send("seed", this.sender.get("seed") + 1));
    const top = make("div", "tc-row", {}, this.inits.el, this.again);
    const stage = make("div", "tc-stage tc-pair", {}, ...this.charts.map((chart) => chart.el));
    const hint = make("p", "tc-keysline", {}, "Point at a curve, or use the left and right arrow keys on a chart: the block is chosen.");
    this.root = root(el, "residuals", top, this.depth.el, this.problems.el, this.choices, stage, this.reading, this.caption, hint);
    this.boxes = this.model.get("data").kinds.map((kind, i) => this.choice(kind, i));
  }

  choice(kind, i) {
    const input = make("input", "", { type: "checkbox", value: kind });
    input.addEventListener("change", () => this.toggle());
    const formula = make("span", "tc-note", {}, this.model.get("data").formulas[kind]);
    const text = make("span", "", {}, kind, formula);
    this.choices.append(make("label", "tc-choice", {}, input, make("i", `tc-swatch ${LOOKS[i].css}`), text));
    return input;
  }

  toggle() {
    this.send("shown", this.boxes.filter((box) => box.checked).map((box) => box.value));
  }

  send(name, value) {
    this.sender.send(name, value);
    this.redraw();
  }

  move(block) {
    this.block = block;
    this.redraw();
  }

  hear() {
    this.sender.answered();
    this.redraw();
  }

  draw() {
    if (!this.root.clientWidth) return;
    this.theme = readTheme(this.root);
    this.data = this.model.get("data");
    this.shown = this.sender.get("shown");
    this.block = clamp(this.block, 1, this.data.depth);
    this.inits.choose(this.sender.get("init"));
    this.depth.set(this.sender.get("depth"));
    this.boxes.forEach((box) => (box.checked = this.shown.includes(box.value)));
    this.problems.show(this.data.problems, this.data.yours ? ["No problems: yours agrees with the stand-in."] : []);
    this.caption.textContent = this.data.caption;
    this.curves = ["spread", "gradient"].map((name) => matrix(unpack(this.data[name])));
    this.drawCharts();
    this.readOut();
  }

  drawCharts() {
    const { depth } = this.data;
    const inner = this.root.clientWidth - 32;
    const width = inner > 540 ? (inner - 28) / 2 : inner;
    const words = [
      { name: "spread of the stream", xAxis: "after block (0: the input)", yAxis: "standard deviation" },
      { name: "norm of the gradient", xAxis: "at the input of block", yAxis: "norm" },
    ];
    this.charts.forEach((chart, i) => {
      const series = this.series(i);
      const y = decades(series.map((line) => line.values));
      const spec = { ...words[i], x: [0, Math.max(depth, 1)], y, log: true, within: [1, depth], cursor: this.block, series };
      chart.update(spec, this.theme, { width, height: 250 });
    });
  }

  // The curves of one chart: the spread begins with the input, the gradient with the first block.
  series(chart) {
    const all = this.data.kinds.map((kind, i) => ({
      label: kind, start: chart, values: rowOf(this.curves[chart], i), colour: this.theme[LOOKS[i].series], dash: LOOKS[i].dash,
    }));
    return all.filter((line) => this.shown.includes(line.label));
  }

  readOut() {
    const lines = this.data.kinds.flatMap((kind, i) => (this.shown.includes(kind) ? [this.line(kind, i)] : []));
    const title = `Block ${this.block} of ${this.data.depth}`;
    const state = JSON.stringify([title, lines]);
    if (this.said === state) return;
    this.said = state;
    const rows = lines.map(({ css, text }) => make("p", "tc-key", {}, make("i", `tc-swatch ${css}`), make("span", "", {}, text)));
    this.reading.replaceChildren(make("h4", "", {}, title), ...(rows.length ? rows : [make("p", "", {}, "No arrangement is chosen.")]));
  }

  line(kind, i) {
    const [spread, gradient] = [0, 1].map((chart) => rowOf(this.curves[chart], i)[this.block - chart]);
    return { css: LOOKS[i].css, text: `${kind}: spread ${sizeOf(spread)} after it, gradient ${sizeOf(gradient)} at its input` };
  }

  destroy() {
    this.stop();
    this.sender.destroy();
    TRAITS.forEach((name) => this.model.off(`change:${name}`, this.heard));
  }
}

// A zero that comes out of products of small numbers is no true zero: float32 ends at 1.4e-45.
export function sizeOf(value) {
  return value === 0 ? "0 (too small for float32)" : number(value);
}

export default {
  render({ model, el }) {
    const residuals = new Residuals(model, el);
    return () => residuals.destroy();
  },
};
