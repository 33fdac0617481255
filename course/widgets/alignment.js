// Cross-attention token by token: lines from the current target token to the source tokens that it reads.
import { make, problemsLine, root, select, slider, withCode } from "./controls.js";
import { follow } from "./follow.js";
import { Heatmap, Legend, clipped, fit } from "./heatmap.js";
import { clamp } from "./layout.js";
import { stepOf } from "./lines.js";
import { at, rowOf, unpack } from "./matrices.js";
import { cellText, listed, number } from "./numbers.js";
import { weightProblems } from "./problems.js";
import { Sender } from "./sender.js";
import { readTheme } from "./theme.js";

const TRAITS = ["data", "step", "layer", "head"];
const MEAN = -1;
const THICKEST = 10;
const NOTHING = 1e-9;
const OUT = 44;
// From top to bottom: source tokens, their weights, the lines, target tokens.
const PLACE = { word: 26, weights: 16, lines: 92, turned: 62 };

// ---- pure ----

// One head of (layers, heads, tgt, src), or the mean of all heads of the layer.
export function chosenWeights({ shape, values }, layer, head) {
  const [, heads, rows, cols] = shape;
  const size = rows * cols;
  const start = (h) => (layer * heads + h) * size;
  if (head !== MEAN) return { values: values.subarray(start(head), start(head) + size), rows, cols };
  const mean = Float32Array.from({ length: size }, (_, i) => {
    let sum = 0;
    for (let h = 0; h < heads; h += 1) sum += values[start(h) + i];
    return sum / heads;
  });
  return { values: mean, rows, cols };
}

// What one target token reads, in one sentence; alignment.py says the same.
export function readsText(name, row, source) {
  if (row.some(Number.isNaN)) return `\`${name}\` reads NaN.`;
  const sum = (list) => list.reduce((total, x) => total + x, 0);
  const order = row.map((_, i) => i).sort((a, b) => row[b] - row[a] || a - b);
  const first = order.slice(0, 3).filter((i) => row[i] >= 0.01);
  if (!first.length) return `\`${name}\` reads ${sum(row) < NOTHING ? "nothing" : "no token by 0.01 or more"}.`;
  const said = first.map((i) => `\`${source[i]}\` ${number(row[i])}`).join(", ");
  const rest = order.slice(first.length).map((i) => row[i]);
  if (rest.length === 1) return `\`${name}\` reads ${said}, \`${source[order.at(-1)]}\` ${number(rest[0])}.`;
  const others = rest.length ? `; the other ${rest.length} together ${number(sum(rest))}` : "";
  return `\`${name}\` reads ${said}${others}.`;
}

// The middle of each of n places along a width, no further apart than looks like one row.
export function slots(n, width, widest = 92) {
  const step = Math.min(widest, width / n);
  return Array.from({ length: n }, (_, i) => (width - n * step) / 2 + (i + 0.5) * step);
}

// The first and the last token's place above and below, for whoever looks at the drawing from outside.
function edges({ above, below }) {
  return { sources: above.join(" "), targets: below.join(" ") };
}

// Where the rows of the drawing are; words that do not fit between their neighbours are turned and need more room.
export function rows(turnedSource, turnedTarget) {
  const [above, below] = [turnedSource, turnedTarget].map((turned) => (turned ? PLACE.turned : PLACE.word));
  const weights = above + PLACE.weights / 2;
  const from = above + PLACE.weights + 4;
  const to = from + PLACE.lines;
  return { source: turnedSource ? above - 8 : above / 2 + 4, weights, from, to, target: to + 14, height: to + below + 6 };
}

// How a weight is drawn: the width of the line is the weight; faint ones stay visible.
export function lineOf(weight) {
  const size = clamp(weight, 0, 1);
  return { width: THICKEST * size, alpha: 0.25 + 0.75 * size, drawn: weight >= 0.005 };
}

// ---- the widget ----

class Alignment {
  constructor(model, el) {
    this.model = model;
    this.cursor = { row: model.get("step"), col: 0 };
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
  }

  build(el) {
    const [layers, heads] = this.weights.shape;
    const numbered = (what, n) => Array.from({ length: n }, (_, i) => [i, `${what} ${i}`]);
    const set = (name) => (value) => this.send(name, Number(value));
    this.layer = select("layer", numbered("layer", layers), 0, set("layer"));
    this.head = select("head", [[MEAN, "mean of heads"], ...numbered("head", heads)], MEAN, set("head"));
    this.layer.el.hidden = layers < 2;
    this.head.el.hidden = heads < 2;
    this.problems = problemsLine();
    this.drawing = this.canvas();
    this.map = new Heatmap({ onCursor: (cell) => this.point(cell), onPress: (cell) => this.go(cell.row), onKey: (key) => this.page(key) });
    this.legend = new Legend();
    this.sentence = make("p", "tc-reads");
    this.sentence.setAttribute("aria-live", "polite");
    this.reading = make("div", "tc-reading");
    this.cell = make("p", "tc-sum");
    this.cell.setAttribute("aria-live", "polite");
    this.reading.append(this.cell, this.lineLegend(), this.legend.el);
    const hint = make("p", "tc-keysline", {}, "Left and right arrow keys on the drawing, or Page Up and Page Down on the map, go from target token to target token.");
    const stage = make("div", "tc-stage", {}, this.map.el, this.reading);
    this.root = root(
      el, "alignment", this.steps(), this.problems.el, this.drawing, this.sentence, stage, hint,
    );
  }

  canvas() {
    const canvas = make("canvas", "tc-chart tc-links", { tabIndex: 0 });
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-roledescription", "alignment");
    canvas.addEventListener("keydown", (event) => {
      const next = stepOf(this.step(), event.key, [0, this.data.target.length - 1]);
      if (next === null) return;
      event.preventDefault();
      this.go(next);
    });
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    return canvas;
  }

  steps() {
    const button = (text, label, by) => {
      const el = make("button", "tc-button", { type: "button" }, text);
      el.setAttribute("aria-label", label);
      el.addEventListener("click", () => this.go(this.step() + by));
      return el;
    };
    this.back = button("\u2190 back", "back", -1);
    this.next = button("next \u2192", "next", 1);
    const { target } = this.data;
    this.slider = slider(
      "target token", { min: 0, max: target.length - 1, step: 1, value: 0 }, (x) => `${Number(x) + 1} of ${target.length}`, (x) => this.go(x),
    );
    return make("div", "tc-row tc-steps", {}, make("div", "tc-buttons", {}, this.back, this.next), this.slider.el, this.layer.el, this.head.el);
  }

  lineLegend() {
    this.samples = make("canvas", "tc-samples");
    this.samples.setAttribute("aria-hidden", "true");
    return make("div", "tc-samples-box", {}, make("p", "tc-keysline", {}, "thickness of a line: weight"), this.samples);
  }

  step() {
    return clamp(this.sender.get("step"), 0, this.data.target.length - 1);
  }

  go(step) {
    this.cursor = { ...this.cursor, row: clamp(step, 0, this.data.target.length - 1) };
    // At once, not at the next frame: the next key moves on from here.
    if (this.map.spec) this.map.spec.cursor = this.cursor;
    this.send("step", this.cursor.row);
  }

  page(key) {
    const by = { PageUp: -1, PageDown: 1 }[key];
    if (by) this.go(this.step() + by);
    return Boolean(by);
  }

  send(name, value) {
    this.sender.send(name, value);
    this.redraw();
  }

  point(cell) {
    this.cursor = cell;
    this.redraw();
  }

  // A press on a target token goes to it, also to one that is still to come.
  press(event) {
    const { left } = this.drawing.getBoundingClientRect();
    const x = event.clientX - left;
    const near = this.middles.below.map((m) => Math.abs(m - x));
    const best = near.indexOf(Math.min(...near));
    if (event.offsetY > this.rows.to - 10 && near[best] < 46) this.go(best);
  }

  draw() {
    if (!this.root.clientWidth) return;
    this.read();
    this.theme = readTheme(this.root);
    const [layers, heads] = this.weights.shape;
    this.chosen = { layer: clamp(this.sender.get("layer"), 0, layers - 1), head: clamp(this.sender.get("head"), MEAN, heads - 1) };
    this.now = chosenWeights(this.weights, this.chosen.layer, this.chosen.head);
    this.layer.input.value = this.chosen.layer;
    this.head.input.value = this.chosen.head;
    this.slider.set(this.step());
    this.back.disabled = this.step() === 0;
    this.next.disabled = this.step() === this.data.target.length - 1;
    this.problems.show(this.wrong());
    this.drawLinks();
    this.drawMap();
    this.readOut();
    this.drawSamples();
  }

  wrong() {
    const { source, target, wrong } = this.data;
    const { layer, head } = this.chosen;
    const here = weightProblems(this.now, null, target, source);
    const others = wrong.filter(([l, h]) => l !== layer || (head !== MEAN && h !== head)).map(([l, h]) => `layer ${l} head ${h}`);
    const below = this.now.values.findIndex((x) => x < 0);
    const place = `${target[Math.floor(below / this.now.cols)]} \u2192 ${source[below % this.now.cols]} ${number(this.now.values[below])}`;
    return [...here, ...(below < 0 ? [] : [`A weight is below 0: ${place}.`]), ...(others.length ? [`Problems too in ${listed(others)}.`] : [])];
  }

  // ---- the drawing: source above, target below, the current token joined to what it reads ----

  drawLinks() {
    const { source, target } = this.data;
    const width = this.root.clientWidth - 32;
    const pen = this.drawing.getContext("2d");
    this.turned = [source, target].map((names) => this.longest(pen, names) > width / names.length - 8);
    this.rows = rows(...this.turned);
    this.middles = this.places(width);
    fit(this.drawing, pen, { width, height: this.rows.height });
    Object.assign(this.drawing.dataset, { from: this.rows.from, target: this.rows.target, ...edges(this.middles) });
    const step = this.step();
    const row = rowOf(this.now, step);
    const { above, below } = this.middles;
    row.forEach((weight, i) => this.link(pen, below[step], above[i], weight));
    row.forEach((weight, i) => this.sourceToken(pen, source[i], above[i], weight, width / source.length));
    target.forEach((name, i) => this.targetToken(pen, name, below[i], i - step));
    const label = `Target token ${step + 1} of ${target.length}. ${readsText(target[step], row, source).replaceAll("`", "")} Left and right arrow keys step.`;
    this.drawing.setAttribute("aria-label", label);
  }

  // A turned word sticks out to the right above, to the left below.
  places(width) {
    const { source, target } = this.data;
    const [right, left] = this.turned.map((turned) => (turned ? OUT : 0));
    const above = slots(source.length, width - right);
    return { above, below: slots(target.length, width - left).map((x) => x + left) };
  }

  longest(pen, names) {
    pen.font = this.font(13, 700);
    return Math.max(...names.map((name) => Math.min(92, pen.measureText(name).width)));
  }

  link(pen, from, to, weight) {
    const { width, alpha, drawn } = lineOf(weight);
    if (!drawn) return;
    const { from: top, to: bottom } = this.rows;
    const middle = (top + bottom) / 2;
    Object.assign(pen, { strokeStyle: this.theme.accent, lineWidth: width, globalAlpha: alpha, lineCap: "butt" });
    pen.beginPath();
    pen.moveTo(from, bottom);
    pen.bezierCurveTo(from, middle, to, middle, to, top);
    pen.stroke();
    pen.globalAlpha = 1;
  }

  font(size, weight = 400) {
    return `${weight} ${size}px ${this.theme.font}`;
  }

  word(pen, text, x, y, { room = 92, size = 13, weight = 400, colour = this.theme.ink, turn = 0, align = "center" }) {
    Object.assign(pen, { font: this.font(size, weight), fillStyle: colour, textAlign: align, textBaseline: "middle" });
    pen.save();
    pen.translate(x, y);
    pen.rotate(turn);
    pen.fillText(clipped(pen, text, room), 0, 0);
    pen.restore();
  }

  sourceToken(pen, name, x, weight, room) {
    const read = weight >= 0.005;
    const look = this.turned[0] ? { turn: -0.7, align: "left", room: 72 } : {};
    this.word(pen, name, x, this.rows.source, { ...look, weight: weight >= 0.5 ? 700 : 400 });
    if (room < 32) return;
    const text = cellText(weight, 60);
    const colour = Number.isNaN(weight) ? this.theme.alarm : read ? this.theme.accent : this.theme.soft;
    this.word(pen, text, x, this.rows.weights, { room: 60, size: 11, colour });
  }

  // Tokens that are still to come are dots: what they will be is not known yet.
  targetToken(pen, name, x, ahead) {
    if (ahead > 0) {
      pen.fillStyle = this.theme.others;
      pen.beginPath();
      pen.arc(x, this.rows.target, 2, 0, 2 * Math.PI);
      pen.fill();
      return;
    }
    const colour = ahead === 0 ? this.theme.accent : this.theme.ink;
    const look = this.turned[1] ? { turn: -0.7, align: "right", room: 72 } : {};
    this.word(pen, name, x, this.rows.target, { ...look, weight: ahead === 0 ? 700 : 400, colour });
  }

  drawSamples() {
    const pen = this.samples.getContext("2d");
    const sizes = [0.05, 0.25, 0.5, 0.75, 1];
    fit(this.samples, pen, { width: 250, height: 34 });
    sizes.forEach((weight, i) => {
      const { width, alpha } = lineOf(weight);
      Object.assign(pen, { strokeStyle: this.theme.accent, lineWidth: width, globalAlpha: alpha });
      pen.beginPath();
      pen.moveTo(i * 50 + 4, 9);
      pen.lineTo(i * 50 + 38, 9);
      pen.stroke();
      pen.globalAlpha = 1;
      this.word(pen, String(weight), i * 50 + 21, 26, { room: 40, size: 11, colour: this.theme.soft });
    });
  }

  // ---- the matrix ----

  drawMap() {
    const { source, target } = this.data;
    const step = this.step();
    const inner = this.root.clientWidth - 32;
    const spec = {
      values: this.now, kind: "weights", limit: 1, mask: null, rowNames: target, colNames: source,
      rowAxis: "query (asks)", colAxis: "key (is read)", name: "all that has been read so far",
      cursor: this.cursor, blank: ({ row }) => row > step, frames: [{ row: step, col: 0, rows: 1, cols: source.length }],
    };
    const side = inner > 560 && source.length <= 12;
    this.map.update(spec, this.theme, { width: side ? inner - 276 : inner, height: Math.min(420, 40 * target.length) });
    this.legend.update({ ...spec, ...this.map.patterns() }, this.theme);
  }

  readOut() {
    const { source, target } = this.data;
    const { row, col } = this.cursor;
    const sentence = readsText(target[this.step()], rowOf(this.now, this.step()), source);
    const cell = row > this.step()
      ? `\u201c${target[row]}\u201d is still to come.`
      : `\u201c${target[row]}\u201d asks, \u201c${source[col]}\u201d is read: ${number(at(this.now, row, col))}.`;
    if (this.said !== sentence) this.sentence.replaceChildren(...withCode(sentence));
    if (this.cell.textContent !== cell) this.cell.textContent = cell;
    this.said = sentence;
    // One voice at a time: the cell speaks where the cursor is moved, the sentence where the token is.
    const pointing = document.activeElement === this.map.canvas;
    this.cell.setAttribute("aria-live", pointing ? "polite" : "off");
  }

  destroy() {
    this.stop();
  }
}

export default {
  render({ model, el }) {
    const alignment = new Alignment(model, el);
    return () => alignment.destroy();
  },
};
