// A small line chart: true numbers on a linear or logarithmic axis, a cursor that pointer and keyboard move.
import { make } from "./controls.js";
import { clipped, fit } from "./heatmap.js";
import { clamp } from "./layout.js";
import { short } from "./numbers.js";

const FOOT = 38;
const HEAD = 8;
const RIGHT = 10;

// ---- pure: ranges, ticks, places ----

// The first of 1, 2, 5, 10, 20, ... that makes at most `most` steps of the range.
export function linearTicks(low, high, most = 5) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= rough * (1 - 1e-9));
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

// Whole powers of ten, at most `most` of them, at equal distances.
export function logTicks(low, high, most = 6) {
  const [from, to] = [low, high].map((x) => Math.round(Math.log10(x)));
  const step = Math.max(1, Math.ceil((to - from) / (most - 1)));
  const marks = [];
  for (let power = to; power >= from; power -= step) marks.unshift(Number(`1e${power}`));
  return marks;
}

const RAISED = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";

// The marks of an axis in words: plain numbers, or, when powers of ten run long, all of them as powers.
export function markTexts(marks, log) {
  const plain = marks.every((mark) => mark >= 0.01 && mark <= 1000) || marks.some((mark) => !/^1e/.test(mark.toExponential()));
  if (!log || plain) return marks.map(short);
  return marks.map((mark) => `10${raised(Math.round(Math.log10(mark)))}`);
}

function raised(power) {
  const digits = [...String(Math.abs(power))].map((digit) => RAISED[digit]).join("");
  return (power < 0 ? "\u207b" : "") + digits;
}

// The whole decades around all positive numbers, at least one, and none beyond the two ends.
export function decades(lists, floor = 1e-16, ceiling = 1e16) {
  const all = lists.flatMap((list) => Array.from(list)).filter((x) => x > 0 && x < Infinity);
  if (!all.length) return [0.1, 10];
  const powers = all.map((x) => Math.log10(clamp(x, floor, ceiling)));
  const low = Math.floor(Math.min(...powers) + 1e-9);
  const high = Math.ceil(Math.max(...powers) - 1e-9);
  return [10 ** low, 10 ** (high > low ? high : low + 1)];
}

// The range of all finite numbers, a little wider, with 0 in it when asked for.
export function around(lists, withZero = false) {
  const all = lists.flatMap((list) => Array.from(list)).filter(Number.isFinite);
  const ends = withZero || !all.length ? [0, ...all] : all;
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const pad = (high - low || 1) * 0.06;
  return [low - (low === 0 && withZero ? 0 : pad), high + pad];
}

// x: [first, last], y: [low, high]; left is the room for the numbers of the y axis.
export function chartPlace({ width, height, left, x, y, log = false }) {
  return { width, height, left, top: HEAD, right: width - RIGHT, bottom: height - FOOT, x, y, log };
}

export function toX({ left, right, x }, value) {
  return left + ((value - x[0]) / (x[1] - x[0] || 1)) * (right - left);
}

// null for what the axis cannot show: NaN, or nothing above 0 on a logarithmic one. Beyond the ends is beyond the ends.
export function toY({ top, bottom, y, log }, value) {
  if (Number.isNaN(value) || (log && !(value > 0))) return null;
  const [low, high, place] = log ? [...y, value].map(Math.log10) : [...y, value];
  return bottom - ((place - low) / (high - low)) * (bottom - top);
}

// The whole number on the x axis that is nearest to a place in pixels, null outside the axes.
export function nearest({ left, right, top, bottom, x }, px, py) {
  if (px < left - 12 || px > right + 12 || py < 0 || py > bottom + 20 || right <= left || bottom <= top) return null;
  return clamp(Math.round(x[0] + ((px - left) / (right - left)) * (x[1] - x[0])), ...x);
}

// Runs of points that a line can join; a run ends where a number cannot be shown.
export function runs(place, start, values) {
  const points = Array.from(values, (value, i) => ({ x: toX(place, start + i), y: toY(place, value) }));
  return points.reduce((all, point) => {
    if (point.y === null) return [...all, []];
    all.at(-1).push(point);
    return all;
  }, [[]]).filter((run) => run.length);
}

const KEYS = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -10, PageUp: 10 };

// Where a key takes the cursor, null when it does not move it.
export function stepOf(value, key, [first, last]) {
  if (key === "Home") return first;
  if (key === "End") return last;
  return KEYS[key] ? clamp(value + KEYS[key], first, last) : null;
}

// The number of the stop that is nearest to a value; of two equally near the first.
export function nearestStop(stops, value) {
  const away = stops.map((stop) => Math.abs(stop - value));
  return away.indexOf(Math.min(...away));
}

// Where the names of levels go: on their lines at the right end; one that would lie on another moves to its left.
export function levelPlaces(ys, widths, right, tall = 13, gap = 12) {
  const order = ys.map((_, i) => i).sort((a, b) => ys[a] - ys[b]);
  const placed = [];
  order.forEach((i) => {
    const near = placed.filter(({ y }) => Math.abs(y - ys[i]) < tall);
    const ends = [right, ...near.map((other) => other.x - other.width - gap)].sort((a, b) => b - a);
    const x = ends.find((end) => near.every((other) => end <= other.x - other.width - gap || end - widths[i] - gap >= other.x));
    placed.push({ i, x, y: ys[i], width: widths[i] });
  });
  return placed.sort((a, b) => a.i - b.i).map(({ x, y }) => ({ x, y }));
}

// ---- the chart ----

// spec: {name, xAxis, yAxis, x: [first, last], y: [low, high], log, within: [first, last] of the cursor, cursor,
//   series: [{label, start, values, colour, dash, width}], band: {start, low, high} or null, zero: draw a line at 0,
//   marks: the marks of the y axis, if not found here; levels: [{name, value}], lines across with a name;
//   stops: the only places where the cursor may stand}
export class LineChart {
  // follow: the cursor goes where the pointer is; otherwise it waits for a press, and goes along with a drag.
  constructor({ onCursor, follow = true }) {
    Object.assign(this, { onCursor, follow });
    this.canvas = make("canvas", "tc-chart", { tabIndex: 0 });
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-roledescription", "line chart");
    this.el = make("div", "tc-panel", {}, (this.title = make("div", "tc-title")), this.canvas);
    this.canvas.addEventListener("pointermove", (event) => (this.follow || event.buttons) && this.point(event));
    this.canvas.addEventListener("pointerdown", (event) => this.point(event));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    ["focus", "blur"].forEach((type) => this.canvas.addEventListener(type, () => this.draw()));
  }

  point(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = this.place && nearest(this.place, event.clientX - box.left, event.clientY - box.top);
    if (x !== null && x !== undefined) this.go(x);
  }

  key(event) {
    const { cursor, within, stops } = this.spec;
    const here = cursor ?? within[0];
    const next = stops ? stepOf(nearestStop(stops, here), event.key, [0, stops.length - 1]) : stepOf(here, event.key, within);
    if (next === null) return;
    event.preventDefault();
    this.go(stops ? stops[next] : next);
  }

  // At once, not at the next frame: two fast keys must both count.
  go(x) {
    const { within, stops } = this.spec;
    this.spec.cursor = stops ? stops[nearestStop(stops, x)] : clamp(x, ...within);
    this.onCursor(this.spec.cursor);
  }

  update(spec, theme, space) {
    Object.assign(this, { spec, theme, space });
    this.title.textContent = spec.name;
    this.canvas.setAttribute("aria-label", `${spec.name}. ${spec.yAxis} by ${spec.xAxis}. Left and right arrow keys move.`);
    this.draw();
  }

  draw() {
    if (!this.spec || !this.space) return;
    const pen = this.canvas.getContext("2d");
    const marks = this.spec.marks ?? (this.spec.log ? logTicks(...this.spec.y) : linearTicks(...this.spec.y, 4));
    this.place = chartPlace({ ...this.space, ...this.spec, left: this.room(pen, marks) });
    fit(this.canvas, pen, this.place);
    const { left, right, top, bottom } = this.place;
    Object.assign(this.canvas.dataset, { left, right, top, bottom });
    this.grid(pen, marks);
    pen.save();
    pen.beginPath();
    pen.rect(left - 3, top - 3, right - left + 6, bottom - top + 6);
    pen.clip();
    if (this.spec.band) this.band(pen, this.spec.band);
    this.spec.series.forEach((line) => this.line(pen, line));
    pen.restore();
    this.levels(pen, this.spec.levels ?? []);
    this.cursor(pen);
  }

  font(size, weight = 400) {
    return `${weight} ${size}px ${this.theme.font}`;
  }

  room(pen, marks) {
    pen.font = this.font(11);
    return 26 + Math.max(...markTexts(marks, this.spec.log).map((text) => pen.measureText(text).width));
  }

  grid(pen, marks) {
    const { left, right, bottom, x } = this.place;
    const texts = markTexts(marks, this.spec.log);
    pen.font = this.font(11);
    pen.textBaseline = "middle";
    pen.fillStyle = this.theme.line;
    pen.fillRect(left, Math.round(bottom), right - left, 1);
    marks.forEach((mark, i) => {
      const at = toY(this.place, mark);
      pen.fillStyle = this.theme.line;
      pen.globalAlpha = mark === 0 || at === bottom ? 1 : 0.55;
      pen.fillRect(left, Math.round(at), right - left, 1);
      pen.globalAlpha = 1;
      this.text(pen, texts[i], left - 6, at, "right");
    });
    linearTicks(...x, 6).filter(Number.isInteger).forEach((mark) => this.text(pen, short(mark), toX(this.place, mark), bottom + 12, "center"));
    this.text(pen, this.spec.xAxis, (left + right) / 2, bottom + 29, "center");
    pen.save();
    pen.translate(7, (this.place.top + bottom) / 2);
    pen.rotate(-Math.PI / 2);
    this.text(pen, clipped(pen, this.spec.yAxis, bottom), 0, 0, "center");
    pen.restore();
  }

  text(pen, words, x, y, align) {
    pen.fillStyle = this.theme.soft;
    pen.textAlign = align;
    pen.fillText(words, x, y);
  }

  // Between the smallest and the largest number at each x; never thinner than a line.
  band(pen, { start, low, high }) {
    const edge = (values) => Array.from(values, (value, i) => [toX(this.place, start + i), toY(this.place, value)]);
    const outline = [...edge(high), ...edge(low).reverse()].filter(([, y]) => y !== null);
    pen.beginPath();
    outline.forEach(([x, y]) => pen.lineTo(x, y));
    pen.closePath();
    Object.assign(pen, { fillStyle: this.theme.band, strokeStyle: this.theme.band, lineWidth: 6, lineJoin: "round" });
    pen.fill();
    pen.stroke();
  }

  levels(pen, levels) {
    const { left, right } = this.place;
    const ys = levels.map(({ value }) => toY(this.place, value));
    pen.font = this.font(11);
    const widths = levels.map(({ name }) => pen.measureText(name).width);
    const places = levelPlaces(ys, widths, right - 4);
    Object.assign(pen, { strokeStyle: this.theme.soft, lineWidth: 1 });
    pen.setLineDash([4, 3]);
    ys.forEach((y) => {
      pen.beginPath();
      pen.moveTo(left, Math.round(y) + 0.5);
      pen.lineTo(right, Math.round(y) + 0.5);
      pen.stroke();
    });
    pen.setLineDash([]);
    // Each on its own line and on a ground of its own: above it the line of the next may run.
    levels.forEach(({ name }, i) => {
      pen.fillStyle = this.theme.surface;
      pen.fillRect(places[i].x - widths[i] - 3, Math.round(ys[i]) - 6, widths[i] + 6, 13);
      this.text(pen, name, places[i].x, Math.round(ys[i]) + 1, "right");
    });
  }

  line(pen, { start, values, colour, dash = [], width = 2 }) {
    Object.assign(pen, { strokeStyle: colour, fillStyle: colour, lineWidth: width, lineJoin: "round", lineCap: "butt" });
    runs(this.place, start, values).forEach((run) => {
      pen.setLineDash(dash);
      pen.beginPath();
      run.forEach(({ x, y }) => pen.lineTo(x, y));
      pen.stroke();
      pen.setLineDash([]);
      if (run.length === 1) this.spot(pen, run[0].x, run[0].y, 2.5);
    });
  }

  spot(pen, x, y, size) {
    pen.beginPath();
    pen.arc(x, y, size, 0, 2 * Math.PI);
    pen.fill();
  }

  cursor(pen) {
    const { cursor, series } = this.spec;
    if (cursor === null || cursor === undefined) return;
    const { top, bottom } = this.place;
    const x = toX(this.place, cursor);
    pen.fillStyle = document.activeElement === this.canvas ? this.theme.accent : this.theme.ink;
    pen.fillRect(x - 0.75, top - 4, 1.5, bottom - top + 8);
    series.forEach(({ start, values, colour }) => {
      const y = toY(this.place, values[cursor - start] ?? NaN);
      if (y === null || y < top - 1 || y > bottom + 1) return;
      pen.fillStyle = this.theme.surface;
      this.spot(pen, x, y, 5.5);
      pen.fillStyle = colour;
      this.spot(pen, x, y, 4);
    });
  }
}
