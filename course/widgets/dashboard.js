// A training to scrub through: its curves with landmarks, and what the model predicts and reads at every checkpoint.
import { make, problemsLine, root, select, slider, withCode } from "./controls.js";
import { follow } from "./follow.js";
import { Heatmap, Legend } from "./heatmap.js";
import { clamp } from "./layout.js";
import { LineChart, around, nearestStop } from "./lines.js";
import { at, matrix, rowOf, unpack } from "./matrices.js";
import { number } from "./numbers.js";
import { colourOf, css, inkOn } from "./palette.js";
import { weightProblems } from "./problems.js";
import { Sender } from "./sender.js";
import { readTheme } from "./theme.js";

const TRAITS = ["data", "checkpoint", "layer", "head"];
const MEAN = -1;

// ---- pure ----

// Where a training stands, in one sentence; dashboard.py says the same.
export function saidText(step, loss, landmarks, right, places) {
  const by = (sign) => ([, a], [, b]) => sign * (a - b);
  const over = landmarks.filter(([, value]) => value < loss).sort(by(-1)).slice(0, 1);
  const under = landmarks.filter(([, value]) => value >= loss).sort(by(1)).slice(0, 1);
  const words = (word, found) => found.map(([name, value]) => `${word} \`${name}\` (${number(value)})`);
  const said = [...words("below", under), ...words("above", over)].join(" and ");
  return `After ${counted(step)}: loss ${number(loss)}${said ? `, ${said}` : ""}; ${right} of ${places} places right.`;
}

export function counted(steps) {
  return steps === 1 ? "1 step" : `${steps} steps`;
}

// One head of one layer at one checkpoint of (checkpoints, layers, heads, tgt, src), or the mean of the layer's heads.
export function weightsAt({ shape, values }, checkpoint, layer, head) {
  const [, layers, heads, rows, cols] = shape;
  const size = rows * cols;
  const start = (h) => ((checkpoint * layers + layer) * heads + h) * size;
  if (head !== MEAN) return { values: values.subarray(start(head), start(head) + size), rows, cols };
  const mean = Float32Array.from({ length: size }, (_, i) => {
    let sum = 0;
    for (let h = 0; h < heads; h += 1) sum += values[start(h) + i];
    return sum / heads;
  });
  return { values: mean, rows, cols };
}

// The ends and the marks of a logarithmic axis that is no longer than its numbers: 1, 3, 10, 30, ... and tenths of them.
export function lossAxis(lists) {
  const all = lists.flatMap((list) => Array.from(list)).filter((x) => x > 0 && x < Infinity);
  if (!all.length) return { y: [0.1, 10], marks: [0.1, 1, 10] };
  const y = [Math.min(...all) * 0.8, Math.max(...all) * 1.25];
  const every = [];
  for (let power = -9; power <= 9; power += 1) every.push(Number(`1e${power}`), Number(`3e${power}`));
  const within = every.filter((x) => x >= y[0] && x <= y[1]);
  const tens = within.filter((x) => /^1/.test(x.toExponential()));
  return { y, marks: within.length > 7 && tens.length > 1 ? tens : within };
}

// ---- the widget ----

class Dashboard {
  constructor(model, el) {
    this.model = model;
    this.cursor = { row: 0, col: 0 };
    this.sender = new Sender(model);
    this.read();
    this.build(el);
    this.stop = follow(this, TRAITS);
  }

  read() {
    const data = this.model.get("data");
    if (data === this.data) return;
    this.data = data;
    this.weights = unpack(data.weights);
    this.probability = matrix(unpack(data.probability));
    const curves = matrix(unpack(data.curves));
    this.curves = Array.from({ length: curves.rows }, (_, i) => rowOf(curves, i));
    this.mean = this.curves.at(-1);
  }

  build(el) {
    const [, layers, heads] = this.weights.shape;
    const numbered = (what, n) => Array.from({ length: n }, (_, i) => [i, `${what} ${i}`]);
    this.layer = select("layer", numbered("layer", layers), 0, (value) => this.send("layer", Number(value)));
    this.head = select("head", [[MEAN, "mean of heads"], ...numbered("head", heads)], MEAN, (value) => this.send("head", Number(value)));
    this.layer.el.hidden = layers < 2;
    this.head.el.hidden = heads < 2;
    this.problems = problemsLine();
    const chart = () => new LineChart({ onCursor: (step) => this.go(nearestStop(this.data.steps, step)), follow: false });
    this.loss = chart();
    this.others = this.data.names.slice(1).map(chart);
    this.sentence = make("p", "tc-reads");
    this.sentence.setAttribute("aria-live", "polite");
    this.map = new Heatmap({ onCursor: (cell) => this.point(cell), onKey: (key) => this.page(key) });
    this.legend = new Legend();
    this.cell = make("p", "tc-sum");
    this.cell.setAttribute("aria-live", "polite");
    this.guesses = make("div", "tc-guesses");
    this.guesses.setAttribute("role", "list");
    const reading = make("div", "tc-reading", {}, this.cell, this.layer.el, this.head.el, this.legend.el);
    const hint = make("p", "tc-keysline", {}, "Left and right arrow keys on a chart or the slider, or Page Up and Page Down on the map, go from checkpoint to checkpoint.");
    const caption = make("p", "tc-under", {}, "Above: what is asked for. Below, on the colour of the probability that it gives to that: what it finds likeliest; a frame where it is wrong.");
    const pair = make("div", "tc-stage tc-pair", {}, ...this.others.map((one) => one.el));
    const stage = make("div", "tc-stage", {}, this.map.el, reading);
    this.root = root(el, "dashboard", this.scrubber(), this.loss.el, this.sentence, this.guesses, caption, this.problems.el, stage, pair, hint);
  }

  scrubber() {
    const { steps } = this.data;
    const button = (text, label, by) => {
      const el = make("button", "tc-button", { type: "button" }, text);
      el.setAttribute("aria-label", label);
      el.addEventListener("click", () => this.go(this.now() + by));
      return el;
    };
    this.back = button("\u2190 back", "back", -1);
    this.next = button("next \u2192", "next", 1);
    this.slider = slider("checkpoint", { min: 0, max: steps.length - 1, step: 1, value: 0 }, (i) => `after ${counted(steps[i])}`, (i) => this.go(i));
    return make("div", "tc-row tc-steps", {}, make("div", "tc-buttons", {}, this.back, this.next), this.slider.el);
  }

  now() {
    return clamp(this.sender.get("checkpoint"), 0, this.data.steps.length - 1);
  }

  go(checkpoint) {
    const next = clamp(checkpoint, 0, this.data.steps.length - 1);
    // At once, not at the next frame: two fast keys must both count.
    [this.loss, ...this.others].forEach((chart) => chart.spec && (chart.spec.cursor = this.data.steps[next]));
    this.send("checkpoint", next);
  }

  page(key) {
    const by = { PageUp: -1, PageDown: 1 }[key];
    if (by) this.go(this.now() + by);
    return Boolean(by);
  }

  point(cell) {
    this.cursor = cell;
    this.redraw();
  }

  send(name, value) {
    this.sender.send(name, value);
    this.redraw();
  }

  draw() {
    if (!this.root.clientWidth) return;
    this.read();
    this.theme = readTheme(this.root);
    const [, layers, heads] = this.weights.shape;
    const layer = clamp(this.sender.get("layer"), 0, layers - 1);
    const head = clamp(this.sender.get("head"), MEAN, heads - 1);
    this.shown = weightsAt(this.weights, this.now(), layer, head);
    this.layer.input.value = layer;
    this.head.input.value = head;
    this.slider.set(this.now());
    this.back.disabled = this.now() === 0;
    this.next.disabled = this.now() === this.data.steps.length - 1;
    this.problems.show(weightProblems(this.shown, null, this.data.target, this.data.source));
    this.drawCharts();
    this.drawGuesses();
    this.drawMap();
    this.readOut();
  }

  drawCharts() {
    const { steps, names, landmarks } = this.data;
    const inner = this.root.clientWidth - 32;
    const last = this.curves[0].length;
    const shared = { xAxis: "steps", x: [1, Math.max(last, 2)], within: [1, last], stops: steps, cursor: steps[this.now()] };
    const levels = landmarks.filter(([, value]) => value > 0).map(([name, value]) => ({ name: `${name} ${number(value)}`, value }));
    const series = [
      { label: "each step", start: 1, values: this.curves[0], colour: this.theme.others, width: 0.8 },
      { label: "mean of 20 steps", start: 1, values: this.mean, colour: this.theme.series1 },
    ];
    const axis = lossAxis([...this.curves.slice(0, 1), levels.map(({ value }) => value)]);
    const name = "loss: mean of 20 steps, and (grey) of each step";
    this.loss.update({ ...shared, ...axis, name, yAxis: "loss", log: true, levels, series }, this.theme, { width: inner, height: 240 });
    const width = inner > 540 && this.others.length > 1 ? (inner - 28) / 2 : inner;
    this.others.forEach((chart, i) => {
      const values = this.curves[i + 1];
      const line = { label: names[i + 1], start: 1, values, colour: this.theme[["series2", "series3", "series4"][i % 3]], width: 1.2 };
      const text = `${names[i + 1]}: ${number(values[steps[this.now()] - 1])}`;
      chart.update({ ...shared, name: text, yAxis: names[i + 1], y: around([values], true), series: [line] }, this.theme, { width, height: 150 });
    });
  }

  drawGuesses() {
    const { target, predicted, steps } = this.data;
    const chances = rowOf(this.probability, this.now());
    const key = JSON.stringify([steps[this.now()], this.theme.dark]);
    if (this.guesses.dataset.key === key) return;
    this.guesses.dataset.key = key;
    this.guesses.replaceChildren(...target.map((asked, i) => this.guess(asked, predicted[this.now()][i], chances[i])));
  }

  guess(asked, predicted, chance) {
    const chip = make("span", `tc-chip${asked === predicted ? "" : " tc-missed"}`, {}, predicted);
    if (!Number.isNaN(chance)) {
      const colour = colourOf(chance, "weights", 1, this.theme.dark);
      Object.assign(chip.style, { background: css(colour), color: inkOn(colour) });
    }
    const box = make("div", "tc-guess", { title: `${asked}: ${number(chance)}` }, make("span", "tc-asked", {}, asked), chip);
    box.setAttribute("role", "listitem");
    box.setAttribute("aria-label", `asked for ${asked}, predicts ${predicted}, gives ${asked} ${number(chance)}`);
    return box;
  }

  drawMap() {
    const { source, target } = this.data;
    const inner = this.root.clientWidth - 32;
    const spec = {
      values: this.shown, kind: "weights", limit: 1, mask: null, rowNames: target, colNames: source,
      rowAxis: "query (asks)", colAxis: "key (is read)", name: "cross-attention", cursor: this.cursor,
    };
    const side = inner > 560 && source.length <= 14;
    this.map.update(spec, this.theme, { width: side ? inner - 276 : inner, height: Math.min(440, 30 * target.length) });
    this.legend.update({ ...spec, ...this.map.patterns() }, this.theme);
  }

  readOut() {
    const { source, target, steps, right, landmarks } = this.data;
    const now = this.now();
    const sentence = saidText(steps[now], this.mean[steps[now] - 1], landmarks, right[now], target.length);
    const { row, col } = this.cursor;
    const cell = `At the place of \u201c${target[row]}\u201d, \u201c${source[col]}\u201d is read: ${number(at(this.shown, row, col))}.`;
    if (this.said !== sentence) this.sentence.replaceChildren(...withCode(sentence));
    if (this.cell.textContent !== cell) this.cell.textContent = cell;
    this.said = sentence;
    // One voice at a time: the cell speaks where the cursor is moved, the sentence where the checkpoint is.
    this.cell.setAttribute("aria-live", document.activeElement === this.map.canvas ? "polite" : "off");
  }

  destroy() {
    this.stop();
  }
}

export default {
  render({ model, el }) {
    const dashboard = new Dashboard(model, el);
    return () => dashboard.destroy();
  },
};
