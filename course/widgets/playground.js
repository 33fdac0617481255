// Paint a mask; your attention answers from Python; change a token and see which outputs move.
import { make, problemsLine, root, segmented, select, slider } from "./controls.js";
import { GUTTER, Heatmap, Legend } from "./heatmap.js";
import { at, matrix, unpack } from "./matrices.js";
import { number } from "./numbers.js";
import { onChange, perFrame, readTheme } from "./theme.js";

const WAIT = 80;
const PATIENCE = 4000;
const TRAITS = ["data", "painted", "changed", "amount"];

class Playground {
  constructor(model, el) {
    this.model = model;
    this.cursor = { row: 0, col: 0 };
    this.painted = [...model.get("painted")];
    this.build(el);
    this.redraw = perFrame(() => this.draw());
    this.heard = () => this.answer();
    TRAITS.forEach((name) => model.on(`change:${name}`, this.heard));
    this.stop = onChange(this.root, this.redraw);
    this.read();
    this.draw();
  }

  build(el) {
    const { tokens, presets } = this.model.get("data");
    const names = Object.keys(presets).map((name) => ({ value: name, text: name }));
    this.presets = segmented("mask", names, (name) => this.repaint([...presets[name]]));
    this.problems = problemsLine();
    const shared = { onCursor: (cell) => this.move(cell) };
    this.mask = new Heatmap({ ...shared, onPaint: (cells, value) => this.paint(cells, value) });
    this.weights = new Heatmap(shared);
    this.legend = new Legend();
    this.reading = make("p", "tc-sum");
    this.reading.setAttribute("aria-live", "polite");
    const options = tokens.map((token, i) => [i, token]);
    this.token = select("change", options, this.model.get("changed"), (i) => this.send("changed", Number(i)));
    this.amount = slider(
      "by", { min: -3, max: 3, step: 0.1, value: this.model.get("amount") }, (x) => `${number(x)} \u00d7 push`, (x) => this.send("amount", x),
    );
    const top = make("div", "tc-row", {}, this.presets.el);
    const stage = make("div", "tc-stage", {}, this.mask.el, this.weights.el);
    const controls = make("div", "tc-controls", {}, this.token.el, this.amount.el);
    const hint = make("p", "tc-keysline", {}, "Click or drag on the mask to paint; arrow keys move and the space key paints.");
    this.root = root(el, "playground", top, this.problems.el, stage, this.reading, this.legend.el, controls, hint);
  }

  // ---- what goes to Python, and what comes back ----

  paint(cells, value) {
    const size = this.tokens.length;
    const next = [...this.painted];
    cells.forEach(({ row, col }) => (next[row * size + col] = value));
    this.repaint(next);
  }

  repaint(next) {
    this.painted = next;
    this.send("painted", next);
    this.redraw();
  }

  // A drag or a moving slider asks once, a moment after it rests.
  send(name, value) {
    this.pending = { ...this.pending, [name]: value };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), WAIT);
  }

  waiting() {
    return Object.keys(this.pending ?? {}).length > 0;
  }

  flush() {
    Object.entries(this.pending).forEach(([name, value]) => this.model.set(name, value));
    this.pending = {};
    this.model.save_changes();
    clearTimeout(this.late);
    this.late = setTimeout(() => this.complain(), PATIENCE);
  }

  complain() {
    this.problems.show(["No answer from the kernel: is it running, or busy? Run the cell again."]);
  }

  answer() {
    clearTimeout(this.late);
    this.read();
    this.redraw();
  }

  read() {
    const data = this.model.get("data");
    this.data = data;
    this.tokens = data.tokens;
    this.numbers = { weights: matrix(unpack(data.weights)), moved: unpack(data.moved).values };
    if (!this.waiting()) this.painted = [...this.model.get("painted")];
  }

  move(cell) {
    if (cell.row === this.cursor.row && cell.col === this.cursor.col) return;
    this.cursor = cell;
    this.redraw();
  }

  // ---- drawing ----

  draw() {
    if (!this.root.clientWidth) return;
    this.theme = readTheme(this.root);
    const now = this.painted.join();
    this.presets.choose(Object.entries(this.data.presets).find(([, mask]) => mask.join() === now)?.[0] ?? "");
    if (!this.waiting()) {
      this.token.input.value = this.model.get("changed");
      this.amount.set(this.model.get("amount"));
    }
    this.problems.show(this.data.problems, this.data.notes);
    this.maps();
    this.readOut();
  }

  maps() {
    const size = this.tokens.length;
    const values = { values: Float32Array.from(this.painted), rows: size, cols: size };
    const shared = { rowNames: this.tokens, colNames: this.tokens, rowAxis: "query (asks)", colAxis: "key (is read)", cursor: this.cursor };
    const inner = this.root.clientWidth - 32;
    this.root.classList.toggle("tc-wide", inner > 520);
    const pen = this.mask.canvas.getContext("2d");
    pen.font = `12px ${this.theme.font}`;
    const label = Math.max(...this.tokens.map((token) => pen.measureText(token).width));
    const space = { width: 2000, height: size * cellSize(inner, Math.min(label, 96), size) };
    this.mask.update({ ...shared, values, kind: "mask", name: "mask (paint here)" }, this.theme, space);
    const spec = this.weightSpec(shared, values);
    this.weights.update(spec, this.theme, space);
    this.legend.update({ ...spec, ...this.weights.patterns() }, this.theme);
  }

  weightSpec(shared, mask) {
    const { yours, trouble, leaks } = this.data;
    const moved = Array.from(this.numbers.moved);
    return {
      ...shared,
      values: this.numbers.weights,
      mask,
      kind: "weights",
      limit: 1,
      showRows: false,
      name: yours && !trouble ? "weights, from your attention" : "weights, from the stand-in",
      gutter: {
        title: "output moved by",
        values: moved,
        texts: moved.map((x, i) => `${x <= 1e-6 ? "still" : number(x)}${leaks.includes(i) ? " !" : ""}`),
        alarms: moved.map((_, i) => leaks.includes(i)),
      },
    };
  }

  readOut() {
    const { row, col } = this.cursor;
    const open = this.painted[row * this.tokens.length + col] > 0;
    const weight = number(at(this.numbers.weights, row, col));
    const rule = open ? "may look" : "may not look";
    const changed = this.tokens[this.model.get("changed")];
    const moved = this.numbers.moved[row];
    const move = moved <= 1e-6 ? "stays still" : `moves by ${number(moved)}`;
    const text = `\u201c${this.tokens[row]}\u201d asks \u201c${this.tokens[col]}\u201d: ${rule}, weight ${weight}. When \u201c${changed}\u201d changes, the output of \u201c${this.tokens[row]}\u201d ${move}.`;
    if (this.reading.textContent !== text) this.reading.textContent = text;
  }

  destroy() {
    this.stop();
    clearTimeout(this.timer);
    clearTimeout(this.late);
    TRAITS.forEach((name) => this.model.off(`change:${name}`, this.heard));
  }
}

// Beside the cells: row labels and their axis, room for turned labels, the bars, the gap between the panels.
function cellSize(inner, label, size) {
  const beside = label + 28 + 16 + GUTTER + 8 + 20;
  const room = inner > 520 ? (inner - beside) / (2 * size) : (inner - GUTTER - label - 40) / size;
  return Math.max(9, Math.min(46, Math.floor(room)));
}

export default {
  render({ model, el }) {
    const playground = new Playground(model, el);
    return () => playground.destroy();
  },
};
