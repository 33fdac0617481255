// Every position has a vector. The table, the wave in two of its features, and how alike two positions are.
import { make, problemsLine, root, slider } from "./controls.js";
import { Heatmap, Legend } from "./heatmap.js";
import { clamp } from "./layout.js";
import { LineChart, around } from "./lines.js";
import { at, columnOf, matrix, rowOf, unpack } from "./matrices.js";
import { number } from "./numbers.js";
import { SILENCE, Sender } from "./sender.js";
import { onChange, perFrame, readTheme } from "./theme.js";

const TRAITS = ["data", "d_model", "position", "pair"];
// In pixels; a cell of the table is at least 2 wide, which lets a very wide one take room from the charts.
const ROOM = { table: 270, labels: 62, gap: 28, chart: 196, rows: 420 };

class Positions {
  constructor(model, el) {
    this.model = model;
    this.distance = 1;
    this.sender = new Sender(model, ["d_model"], () => this.problems.show([SILENCE]));
    this.build(el);
    this.redraw = perFrame(() => this.draw());
    this.heard = () => this.hear();
    TRAITS.forEach((name) => model.on(`change:${name}`, this.heard));
    this.stop = onChange(this.root, this.redraw);
    this.read();
    this.draw();
  }

  build(el) {
    const { maxLen, widest } = this.model.get("data");
    this.problems = problemsLine();
    this.map = new Heatmap({ onCursor: (cell) => this.choose(cell.row, Math.floor(cell.col / 2)), follow: false });
    this.waves = new LineChart({ onCursor: (x) => this.choose(x, this.pair), follow: false });
    this.dots = new LineChart({ onCursor: (x) => this.compare(x) });
    this.legend = new Legend();
    this.keys = [make("p", "tc-keys tc-under"), make("p", "tc-keys tc-under")];
    this.reading = make("div", "tc-sum");
    this.reading.setAttribute("aria-live", "polite");
    this.position = slider("position", { min: 0, max: maxLen - 1, step: 1, value: 0 }, String, (x) => this.choose(x, this.pair));
    this.features = slider("features", { min: 0, max: 1, step: 1, value: 0 }, pairText, (x) => this.choose(this.at, x));
    this.width = slider("d_model", { min: 2, max: widest, step: 2, value: 2 }, String, (x) => this.send("d_model", x));
    const charts = make("div", "tc-charts", {}, this.waves.el, this.keys[0], this.dots.el, this.keys[1]);
    const left = make("div", "tc-left", {}, this.map.el, this.legend.el);
    const hint = make("p", "tc-keysline", {}, "Click or drag in the table or on the waves, or use the arrow keys there: position and features are chosen. Point at the lower curve to compare two positions.");
    this.root = root(
      el, "positions", this.problems.el, make("div", "tc-stage", {}, left, charts), this.reading,
      make("div", "tc-controls", {}, this.position.el, this.features.el, this.width.el), hint,
    );
  }

  send(name, value) {
    this.sender.send(name, value);
    this.redraw();
  }

  choose(position, pair) {
    if (position === this.at && pair === this.pair) return;
    [this.at, this.pair] = [position, pair];
    this.sender.send("position", position);
    this.send("pair", pair);
  }

  compare(distance) {
    this.distance = distance;
    this.redraw();
  }

  hear() {
    this.sender.answered();
    this.read();
    this.redraw();
  }

  read() {
    const data = this.model.get("data");
    if (data !== this.data) {
      this.data = data;
      this.table = matrix(unpack(data.table));
      this.products = matrix(unpack(data.dots));
      this.band = { start: 1 - data.maxLen, low: unpack(data.low).values, high: unpack(data.high).values };
    }
    this.at = clamp(this.sender.get("position"), 0, data.maxLen - 1);
    this.pair = clamp(this.sender.get("pair"), 0, data.dModel / 2 - 1);
  }

  draw() {
    if (!this.root.clientWidth) return;
    this.theme = readTheme(this.root);
    this.read();
    const inner = this.root.clientWidth - 32;
    this.side = inner > 560;
    this.problems.show(this.data.problems, this.data.yours ? ["No problems: yours is the paper's table."] : []);
    const table = this.side ? Math.max(ROOM.table, ROOM.labels + 2 * this.data.dModel) : inner;
    this.drawTable(table);
    this.drawCharts(this.side ? inner - table - ROOM.gap : inner);
    this.follow();
    this.readOut();
  }

  follow() {
    this.features.input.max = this.data.dModel / 2 - 1;
    this.position.set(this.at);
    this.features.set(this.pair);
    this.width.set(this.sender.get("d_model"));
  }

  drawTable(width) {
    const { maxLen, dModel, yours } = this.data;
    const names = (length) => Array.from({ length }, (_, i) => String(i));
    const spec = {
      values: this.table, kind: "signed", limit: 1, mask: null, rowNames: names(maxLen), colNames: names(dModel),
      rowAxis: "position", colAxis: "feature", name: yours ? "your table" : "the paper's table", stretch: true,
      cursor: { row: this.at, col: this.column() },
      frames: [{ row: this.at, col: 0, rows: 1, cols: dModel }, { row: 0, col: 2 * this.pair, rows: maxLen, cols: 2 }],
    };
    this.map.update(spec, this.theme, { width, height: ROOM.rows });
    this.legend.update({ ...spec, ...this.map.patterns() }, this.theme);
  }

  // The keyboard walks through the table feature by feature, so that it comes to the next pair.
  column() {
    const col = this.map.spec?.cursor?.col ?? 0;
    return Math.floor(col / 2) === this.pair ? col : 2 * this.pair;
  }

  drawCharts(width) {
    const { maxLen } = this.data;
    const { series1, series2 } = this.theme;
    const pair = [0, 1].map((i) => Array.from(columnOf(this.table, 2 * this.pair + i)));
    const size = { width, height: ROOM.chart };
    const line = (values, colour, dash) => ({ start: 0, values, colour, dash });
    this.waves.update({
      name: `features ${pairText(this.pair)} along the positions`, xAxis: "position", yAxis: "value", x: [0, maxLen - 1],
      y: around([...pair, [-1, 1]]), within: [0, maxLen - 1], cursor: this.at,
      series: [line(pair[0], series1, []), line(pair[1], series2, [6, 3])],
    }, this.theme, size);
    const ends = [-this.at, maxLen - 1 - this.at];
    this.distance = clamp(this.distance, ...ends);
    this.dots.update({
      name: `dot product of position ${this.at} with each position`, xAxis: `distance from position ${this.at}`, yAxis: "dot product", x: [1 - maxLen, maxLen - 1],
      y: around([this.band.low, this.band.high], true), within: ends, cursor: this.distance, band: this.band,
      series: [{ start: ends[0], values: rowOf(this.products, this.at), colour: series1 }],
    }, this.theme, size);
    this.chartKeys();
  }

  chartKeys() {
    const names = [
      [["tc-line1", `feature ${2 * this.pair}`], ["tc-line2 tc-dashed", `feature ${2 * this.pair + 1}`]],
      [["tc-line1", `position ${this.at}`], ["tc-band", "all positions, smallest to largest"]],
    ];
    names.forEach((keys, i) => {
      this.keys[i].replaceChildren(...keys.map(([look, text]) => make("span", "tc-key", {}, make("i", `tc-swatch ${look}`), text)));
    });
  }

  readOut() {
    const lines = this.lines();
    const state = lines.join("\n");
    if (this.said === state) return;
    this.said = state;
    this.reading.replaceChildren(...lines.map((line) => make("p", "", {}, line)));
  }

  lines() {
    const other = this.at + this.distance;
    const [even, odd] = [0, 1].map((i) => number(at(this.table, this.at, 2 * this.pair + i)));
    return [
      this.data.waves[this.pair],
      `At position ${this.at}: feature ${2 * this.pair} is ${even}, feature ${2 * this.pair + 1} is ${odd}.`,
      `Position ${this.at} \u00b7 position ${other}, ${apart(this.distance)}: ${number(at(this.products, this.at, other))}.`,
    ];
  }

  destroy() {
    this.stop();
    this.sender.destroy();
    TRAITS.forEach((name) => this.model.off(`change:${name}`, this.heard));
  }
}

function pairText(pair) {
  return `${2 * pair} and ${2 * pair + 1}`;
}

export function apart(distance) {
  if (distance === 0) return "itself";
  return `${Math.abs(distance)} ${distance > 0 ? "further on" : "further back"}`;
}

export default {
  render({ model, el }) {
    const positions = new Positions(model, el);
    return () => positions.destroy();
  },
};
