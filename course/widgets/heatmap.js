// The one heatmap of the course: true numbers, one scale, masked, zero and NaN told apart by pattern.
import { make } from "./controls.js";
import { between, hitTest, layout, moved } from "./layout.js";
import { cellFont, cellStyle, cellText, short } from "./numbers.js";
import { colourOf, css, inkOn, scaleOf, ticks } from "./palette.js";
import { isForbidden } from "./problems.js";

export const GUTTER = 118;
const FIRST = { row: 0, col: 0 };
// Cells smaller than this touch each other: gaps and rims would be all there is to see.
const TINY = 9;

// spec: {values: matrix, kind: "weights" | "signed" | "mask", limit, mask, rowNames, colNames, rowAxis, colAxis,
//   name, cursor: {row, col} or null, group(cell) → bool, gutter: {title, values, texts, alarms}, showRows,
//   stretch: cells need not be square, blank(cell) → true where nothing is to be seen yet,
//   frames: [{row, col, rows, cols}] to outline}
export class Heatmap {
  // follow: the cursor goes where the pointer is; otherwise it waits for a press, and goes along with a drag.
  constructor({ onCursor, onPaint = null, onKey = null, onPress = null, follow = true }) {
    this.on = { cursor: onCursor, paint: onPaint, key: onKey, press: onPress };
    this.follow = follow;
    this.canvas = make("canvas", "tc-heatmap", { tabIndex: 0 });
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-roledescription", "heatmap");
    this.el = make("div", "tc-panel", {}, (this.title = make("div", "tc-title")), this.canvas);
    this.listen();
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointerup", () => (this.stroke = null));
    canvas.addEventListener("pointercancel", () => (this.stroke = null));
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("focus", () => this.enter());
    ["focus", "blur"].forEach((type) => canvas.addEventListener(type, () => this.draw()));
  }

  // The keyboard needs a cell to start from.
  enter() {
    if (this.spec && !this.spec.cursor) this.go(FIRST);
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    return this.place ? hitTest(this.place, event.clientX - box.left, event.clientY - box.top) : null;
  }

  point(event) {
    const cell = this.cellAt(event);
    if (!cell || !(this.follow || event.buttons)) return;
    this.go(cell);
    if (this.stroke) this.paintTo(cell);
  }

  press(event) {
    const cell = this.cellAt(event);
    if (!cell) return;
    this.go(cell);
    this.on.press?.(cell);
    if (!this.on.paint) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.stroke = { from: cell, value: this.valueAt(cell) > 0 ? 0 : 1 };
    this.paintTo(cell);
  }

  // At once, not at the next frame: two fast keys must both count.
  go(cell) {
    this.spec.cursor = cell;
    this.on.cursor(cell);
  }

  paintTo(cell) {
    this.on.paint(between(this.stroke.from, cell), this.stroke.value);
    this.stroke.from = cell;
  }

  key(event) {
    this.enter();
    const { cursor, values } = this.spec;
    const cell = moved(cursor, event.key, event.ctrlKey || event.metaKey, values.rows, values.cols);
    const paints = this.on.paint && (event.key === " " || event.key === "Enter");
    if (cell) this.go(cell);
    if (paints) this.on.paint([cursor], this.valueAt(cursor) > 0 ? 0 : 1);
    if (cell || paints || this.on.key?.(event.key)) event.preventDefault();
  }

  valueAt({ row, col }) {
    return this.spec.values.values[row * this.spec.values.cols + col];
  }

  update(spec, theme, space) {
    Object.assign(this, { spec, theme, space });
    this.title.textContent = spec.name;
    this.canvas.setAttribute("aria-label", `${spec.name}. ${spec.rowAxis} by ${spec.colAxis}. Arrow keys move.`);
    this.draw();
  }

  // What the legend has to explain.
  patterns() {
    return patterns(this.spec, this.least);
  }

  draw() {
    if (!this.spec || !this.space) return;
    const pen = this.canvas.getContext("2d");
    this.place = this.measure(pen);
    fit(this.canvas, pen, this.place);
    const { left, top, cell, wide } = this.place;
    Object.assign(this.canvas.dataset, { left, top, cell, wide });
    const { rows, cols, values } = this.spec.values;
    this.least = Math.min(cell, wide);
    this.style = cellStyle(values, this.least);
    for (let row = 0; row < rows; row += 1) {
      for (let col = 0; col < cols; col += 1) this.cell(pen, row, col);
    }
    this.labels(pen);
    this.axes(pen);
    if (this.spec.gutter) this.gutter(pen);
    this.spec.frames?.forEach((frame) => this.frame(pen, frame));
    this.cursor(pen);
  }

  measure(pen) {
    const { values, rowNames, colNames, showRows = true, gutter } = this.spec;
    const longest = (names, weight) => {
      pen.font = this.font(12, weight);
      return Math.min(96, Math.max(...names.map((name) => pen.measureText(name).width)));
    };
    return layout({
      ...this.space,
      rows: values.rows,
      cols: values.cols,
      rowLabel: showRows ? longest(rowNames, 700) : 0,
      colLabel: longest(colNames, 400),
      gutter: gutter ? GUTTER : 0,
      stretch: this.spec.stretch,
    });
  }

  font(size, weight = 400) {
    return `${weight} ${size}px ${this.theme.font}`;
  }

  box(row, col) {
    const { left, top, cell, wide } = this.place;
    const gap = this.least >= 16 ? 2 : this.least >= TINY ? 1 : 0;
    return [left + col * wide + gap / 2, top + row * cell + gap / 2, wide - gap, cell - gap];
  }

  cell(pen, row, col) {
    const { kind, mask, values, group, blank } = this.spec;
    if (blank?.({ row, col })) return this.rim(pen, row, col, this.theme.line);
    const value = values.values[row * values.cols + col];
    const allowed = !mask || mask.values[row * values.cols + col] > 0;
    pen.globalAlpha = group && !group({ row, col }) ? 0.3 : 1;
    if (kind === "mask") this.maskCell(pen, row, col, value > 0);
    else if (Number.isNaN(value)) this.nanCell(pen, row, col);
    else if (allowed) this.numberCell(pen, row, col, value);
    else this.maskedCell(pen, row, col, value);
    pen.globalAlpha = 1;
    return undefined;
  }

  fill(pen, row, col, colour) {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.roundRect(...this.box(row, col), this.least >= 16 ? 3 : 0);
    pen.fill();
  }

  numberCell(pen, row, col, value) {
    const { kind, limit } = this.spec;
    const colour = colourOf(value, kind, limit, this.theme.dark);
    this.fill(pen, row, col, css(colour));
    if (this.least >= TINY) this.rim(pen, row, col, this.theme.line);
    const text = cellText(value, this.least, this.style);
    // A dimmed cell is near the surface's colour, whatever its own is: so is the ink that reads on it.
    const ink = pen.globalAlpha < 1 ? this.theme.ink : inkOn(colour);
    pen.globalAlpha = pen.globalAlpha < 1 ? 0.6 : 1;
    if (value === 0 && !text && this.least >= TINY) this.dot(pen, row, col);
    else this.write(pen, row, col, text, value === 0 ? this.theme.soft : ink);
  }

  maskCell(pen, row, col, open) {
    if (!open) return this.hatch(pen, row, col, this.theme.soft);
    this.fill(pen, row, col, this.theme.tint);
    return this.rim(pen, row, col, this.theme.accent);
  }

  maskedCell(pen, row, col, value) {
    const leak = this.spec.kind === "weights" && isForbidden(value, false);
    if (!leak) return this.hatch(pen, row, col, this.theme.soft);
    this.numberCell(pen, row, col, value);
    this.hatch(pen, row, col, this.theme.alarm);
    return this.rim(pen, row, col, this.theme.alarm, 2);
  }

  nanCell(pen, row, col) {
    this.hatch(pen, row, col, this.theme.alarm);
    this.hatch(pen, row, col, this.theme.alarm, true);
    this.rim(pen, row, col, this.theme.alarm);
    const text = cellText(NaN, this.least);
    if (!text) return;
    const [x, y, w, h] = this.box(row, col);
    pen.fillStyle = this.theme.surface;
    pen.fillRect(x + w / 2 - 15, y + h / 2 - 8, 30, 16);
    this.write(pen, row, col, text, this.theme.alarm, 600);
  }

  rim(pen, row, col, colour, width = 1) {
    const [x, y, w, h] = this.box(row, col);
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    pen.roundRect(x + width / 2, y + width / 2, w - width, h - width, this.least >= 16 ? 3 : 0);
    pen.stroke();
  }

  hatch(pen, row, col, colour, back = false) {
    const [x, y, w, h] = this.box(row, col);
    pen.save();
    pen.beginPath();
    pen.roundRect(x, y, w, h, this.least >= 16 ? 3 : 0);
    pen.clip();
    pen.strokeStyle = colour;
    pen.globalAlpha *= colour === this.theme.alarm ? 0.7 : 0.4;
    pen.lineWidth = 1;
    const step = Math.max(4, Math.min(7, w / 4));
    pen.beginPath();
    for (let at = -h; at < w; at += step) {
      pen.moveTo(x + at, back ? y : y + h);
      pen.lineTo(x + at + h, back ? y + h : y);
    }
    pen.stroke();
    pen.restore();
  }

  dot(pen, row, col) {
    const [x, y, w, h] = this.box(row, col);
    pen.fillStyle = this.theme.soft;
    pen.beginPath();
    pen.arc(x + w / 2, y + h / 2, 1.2, 0, 2 * Math.PI);
    pen.fill();
  }

  write(pen, row, col, text, colour, weight = 400) {
    if (!text) return;
    const [x, y, w, h] = this.box(row, col);
    pen.font = this.font(cellFont(this.least), weight);
    pen.fillStyle = colour;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(text, x + w / 2, y + h / 2 + 0.5);
  }

  labels(pen) {
    const { rowNames, colNames, cursor, showRows = true } = this.spec;
    const { left, top, cell, wide, rows, turned } = this.place;
    pen.textBaseline = "middle";
    if (showRows) {
      named(rowNames.length, 12 / cell, cursor?.row).forEach((row) => {
        this.label(pen, rowNames[row], left - 8, top + (row + 0.5) * cell, "right", row === cursor?.row, 0);
      });
    }
    named(colNames.length, (this.spec.stretch ? 20 : 12) / wide, cursor?.col).forEach((col) => {
      const x = left + (col + 0.5) * wide + (turned ? 4 : 0);
      this.label(pen, colNames[col], x, top + rows * cell + 12, turned ? "right" : "center", col === cursor?.col, turned ? -0.85 : 0);
    });
  }

  label(pen, name, x, y, align, here, turn) {
    pen.save();
    pen.translate(x, y);
    pen.rotate(turn);
    pen.font = this.font(12, here ? 700 : 400);
    pen.fillStyle = here ? this.theme.accent : this.theme.ink;
    pen.textAlign = align;
    pen.fillText(clipped(pen, name, 96), 0, 0);
    pen.restore();
  }

  axes(pen) {
    const { rowAxis, colAxis, showRows = true } = this.spec;
    const { left, top, cell, wide, rows, cols, height } = this.place;
    pen.font = this.font(11);
    pen.fillStyle = this.theme.soft;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(colAxis, left + Math.max((cols * wide) / 2, 40 - left), height - 9);
    if (!showRows) return;
    pen.save();
    pen.translate(8, top + (rows * cell) / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(rowAxis, 0, 0);
    pen.restore();
  }

  // Bars beside the rows: how far each row's output moved.
  gutter(pen) {
    const { values, texts, alarms, title } = this.spec.gutter;
    const { left, top, cell, wide, rows, cols, height } = this.place;
    const start = left + cols * wide + 14;
    const full = 46;
    const most = Math.max(...values.filter(Number.isFinite), 1e-6);
    values.forEach((value, row) => {
      const y = top + (row + 0.5) * cell;
      const colour = alarms[row] ? this.theme.alarm : this.theme.accent;
      const length = Number.isFinite(value) ? (value / most) * full : full;
      const tall = Math.min(16, cell * 0.55);
      pen.fillStyle = colour;
      if (value > 1e-6) pen.fillRect(start, y - tall / 2, Math.max(2, length), tall);
      pen.fillStyle = alarms[row] ? colour : value > 1e-6 ? this.theme.ink : this.theme.soft;
      pen.font = this.font(11, alarms[row] ? 700 : 400);
      pen.textAlign = "left";
      pen.textBaseline = "middle";
      pen.fillText(texts[row], start + (value > 1e-6 ? Math.max(2, length) + 6 : 0), y);
    });
    pen.strokeStyle = this.theme.line;
    pen.beginPath();
    pen.moveTo(start - 1.5, top);
    pen.lineTo(start - 1.5, top + rows * cell);
    pen.stroke();
    pen.fillStyle = this.theme.soft;
    pen.textAlign = "left";
    pen.font = this.font(11);
    pen.fillText(title, start, height - 9);
  }

  frame(pen, { row, col, rows, cols }) {
    const { left, top, cell, wide } = this.place;
    const box = [left + col * wide - 1, top + row * cell - 1, cols * wide + 2, rows * cell + 2];
    [[2.5, this.theme.surface], [1.25, this.theme.ink]].forEach(([width, colour]) => {
      pen.lineWidth = width;
      pen.strokeStyle = colour;
      pen.strokeRect(...box);
    });
  }

  cursor(pen) {
    // In a frame of tiny cells a ring would hide the number that it points at.
    if (!this.spec.cursor || (this.least < TINY && this.spec.frames)) return;
    const { row, col } = this.spec.cursor;
    const [x, y, w, h] = this.box(row, col);
    const focused = document.activeElement === this.canvas;
    pen.lineWidth = focused ? 3 : 2;
    pen.strokeStyle = focused ? this.theme.accent : this.theme.ink;
    pen.beginPath();
    pen.roundRect(x - 1, y - 1, w + 2, h + 2, 4);
    pen.stroke();
    pen.lineWidth = 1;
    pen.strokeStyle = this.theme.surface;
    pen.beginPath();
    pen.roundRect(x + 1, y + 1, w - 2, h - 2, 2);
    pen.stroke();
  }
}

// Which names there is room for, when a name needs `need` cells: every second, fourth, ..., and the one at the cursor,
// before which its neighbours give way.
export function named(length, need, here) {
  const skip = need > 1 ? 2 ** Math.ceil(Math.log2(need)) : 1;
  const all = Array.from({ length }, (_, i) => i);
  if (here === undefined) return all.filter((i) => i % skip === 0);
  return all.filter((i) => i === here || (i % skip === 0 && Math.abs(i - here) >= skip));
}

export function clipped(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  let end = text.length - 1;
  while (end > 1 && pen.measureText(`${text.slice(0, end)}\u2026`).width > width) end -= 1;
  return `${text.slice(0, end)}\u2026`;
}

// A canvas of the given size in CSS pixels, sharp on this screen.
export function fit(canvas, pen, { width, height }) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
}

// The colour scale with ticks, and a key of the patterns that are present.
export class Legend {
  constructor() {
    this.bar = make("div", "tc-bar");
    this.marks = make("div", "tc-marks");
    this.keys = make("div", "tc-keys");
    this.el = make("div", "tc-legend", {}, make("div", "tc-scale", {}, this.bar, this.marks), this.keys);
    this.el.setAttribute("aria-hidden", "true");
  }

  update({ kind, limit, masked, nan, zero }, theme) {
    const scale = scaleOf(kind, theme.dark).filter((_, i) => i % 15 === 0).map(css);
    this.bar.style.background = `linear-gradient(to right, ${scale.join(", ")})`;
    this.marks.replaceChildren(...ticks(kind, limit).map((x) => make("span", "", {}, short(x))));
    const keys = [[masked, "tc-masked", "masked"], [nan, "tc-nan", "NaN"], [zero, "tc-zero", "exactly 0"]];
    const shown = keys.filter(([present]) => present);
    this.keys.replaceChildren(
      ...shown.map(([, pattern, text]) => make("span", "tc-key", {}, make("i", `tc-swatch ${pattern}`), text)),
    );
  }
}

// Which patterns a panel with cells of the given width shows. A leak has the colour of an alarm, a NaN its own
// pattern, and a zero is a dot only where its digit does not fit.
export function patterns({ values, mask, kind }, width) {
  const open = (i) => !mask || mask.values[i] > 0;
  const hidden = (x, i) => !open(i) && !Number.isNaN(x) && !(kind === "weights" && isForbidden(x, false));
  return {
    masked: values.values.some(hidden),
    nan: values.values.some(Number.isNaN),
    zero: kind !== "mask" && width >= TINY && !cellText(0, width) && values.values.some((x, i) => x === 0 && open(i)),
  };
}
