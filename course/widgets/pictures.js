// A picture that can be drawn on, what a model says it shows, and what each of its tokens read of the patches.
import { make, problemsLine, root, select } from "./controls.js";
import { follow } from "./follow.js";
import { Heatmap, Legend, fit } from "./heatmap.js";
import { moved } from "./layout.js";
import { at, matrix, rowOf, unpack } from "./matrices.js";
import { number } from "./numbers.js";
import { Sender, SILENCE } from "./sender.js";
import { readTheme } from "./theme.js";

const TRAITS = ["data", "pixels", "picture", "view", "asks"];
const SIZE = 264;
const EDGE = 0.4;
const FULL = 4;
const STRONGEST = 0.65;

// ---- pure ----

// The pixel under a point of the canvas, or null beside it.
export function pixelAt(x, y, cell, rows, cols) {
  const [row, col] = [Math.floor(y / cell), Math.floor(x / cell)];
  return row >= 0 && col >= 0 && row < rows && col < cols ? { row, col } : null;
}

// A dot of a soft pen: its pixel is ink, the four beside it are grey at least. The rubber takes one pixel away.
export function dotted(pixels, { row, col }, [rows, cols], erase) {
  const next = [...pixels];
  const put = (r, c, ink) => {
    if (r < 0 || c < 0 || r >= rows || c >= cols) return;
    next[r * cols + c] = erase ? 0 : Math.max(next[r * cols + c], ink);
  };
  put(row, col, 1);
  if (!erase) [[-1, 0], [1, 0], [0, -1], [0, 1]].forEach(([down, across]) => put(row + down, col + across, EDGE));
  return next;
}

// The number of the patch in which a pixel lies, counted from 1 as in the row of tokens.
export function patchOf({ row, col }, patch, cols) {
  return 1 + Math.floor(row / patch) * (cols / patch) + Math.floor(col / patch);
}

export function tokenName(place) {
  return place === 0 ? "the class token" : `patch ${place}`;
}

// How strongly a patch is coloured: an even share of all patches faintly, four times that and more as strongly as can be.
export function tint(share, patches) {
  return STRONGEST * Math.min(1, Math.max(0, (share * patches) / FULL)) || 0;
}

// The largest shares first, for the list beside the picture.
export function ranked(shares) {
  return shares.map((share, name) => ({ name, share })).sort((a, b) => b.share - a.share || a.name - b.name);
}

// ---- the widget ----

class Pictures {
  constructor(model, el) {
    this.model = model;
    this.cursor = { row: 0, col: 0 };
    this.cell = null;
    this.sender = new Sender(model, ["pixels"], () => this.problems.show([SILENCE]));
    this.build(el);
    this.stop = follow(this, TRAITS);
  }

  build(el) {
    const { titles, views, sides } = this.model.get("data");
    const [height, width, patch] = sides;
    const tokens = 1 + (height / patch) * (width / patch);
    const send = (name) => (value) => this.send(name, Number(value));
    this.which = select("picture", titles.map((title, i) => [i, `${i}: ${title}`]), 0, (value) => this.take(Number(value)));
    this.views = select("weights", views.map((name, i) => [i, name]), 0, send("view"));
    this.tokens = select("asks", Array.from({ length: tokens }, (_, i) => [i, tokenName(i)]), 0, send("asks"));
    this.rubber = make("input", "", { type: "checkbox" });
    const rubber = make("label", "tc-control", {}, this.rubber, make("span", "tc-label", {}, "rubber"));
    const clear = make("button", "tc-button", { type: "button" }, "Clear the paper");
    clear.addEventListener("click", () => this.ink(this.pixels().map(() => 0)));
    const back = make("button", "tc-button", { type: "button" }, "The picture again");
    back.addEventListener("click", () => this.take(this.sender.get("picture")));
    this.problems = problemsLine();
    this.caption = make("p", "tc-caption");
    this.caption.setAttribute("aria-live", "polite");
    this.canvas = this.paper();
    this.shares = make("div", "tc-answers");
    this.map = new Heatmap({ onCursor: (cell) => this.point(cell), onPress: (cell) => this.send("asks", this.placeOf(cell)) });
    this.legend = new Legend();
    this.said = make("p", "tc-sum");
    this.said.setAttribute("aria-live", "polite");
    const left = make("div", "tc-left", {}, this.canvas, make("div", "tc-buttons", {}, clear, back, rubber));
    const right = make("div", "tc-reading", {}, this.map.el, this.said, this.legend.el);
    const controls = make("div", "tc-controls", {}, this.which.el, this.views.el, this.tokens.el);
    const hint = make("p", "tc-keysline", {}, "Draw with the mouse. By keyboard: arrow keys on the paper, the space bar for ink, Delete for the rubber. A press on the map lets that patch ask. Orange over the paper: the most where a patch has four times an even share.");
    const stage = make("div", "tc-stage", {}, left, right);
    this.root = root(el, "pictures", this.problems.el, this.caption, stage, this.shares, controls, hint);
  }

  paper() {
    const canvas = make("canvas", "tc-chart", { tabIndex: 0 });
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-roledescription", "paper to draw on");
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture?.(event.pointerId);
      this.drawing = true;
      this.dot(event);
    });
    canvas.addEventListener("pointermove", (event) => this.drawing && this.dot(event));
    ["pointerup", "pointercancel"].forEach((name) => canvas.addEventListener(name, () => (this.drawing = false)));
    canvas.addEventListener("keydown", (event) => this.key(event));
    return canvas;
  }

  pixels() {
    return this.sender.get("pixels");
  }

  dot(event) {
    const [rows, cols] = this.model.get("data").sides;
    const box = this.canvas.getBoundingClientRect();
    const pixel = pixelAt(event.clientX - box.left, event.clientY - box.top, this.side, rows, cols);
    if (!pixel) return;
    this.cursor = pixel;
    this.ink(dotted(this.pixels(), pixel, [rows, cols], this.rubber.checked || event.buttons === 2));
  }

  key(event) {
    const [rows, cols] = this.model.get("data").sides;
    const erase = event.key === "Delete" || event.key === "Backspace";
    if (erase || event.key === " " || event.key === "Enter") {
      event.preventDefault();
      this.ink(dotted(this.pixels(), this.cursor, [rows, cols], erase || this.rubber.checked));
      return;
    }
    const next = moved(this.cursor, event.key, event.ctrlKey, rows, cols);
    if (!next) return;
    event.preventDefault();
    this.cursor = next;
    this.redraw();
  }

  ink(pixels) {
    this.sender.send("pixels", pixels);
    this.redraw();
  }

  take(picture) {
    const all = unpack(this.model.get("data").pictures);
    const size = all.values.length / all.shape[0];
    this.sender.send("picture", picture);
    this.ink(Array.from(all.values.subarray(picture * size, (picture + 1) * size)));
  }

  send(name, value) {
    this.cell = null;
    this.sender.send(name, value);
    this.redraw();
  }

  point(cell) {
    this.cell = cell;
    this.redraw();
  }

  placeOf({ row, col }) {
    const [, width, patch] = this.model.get("data").sides;
    return 1 + row * (width / patch) + col;
  }

  draw() {
    if (!this.root.clientWidth) return;
    this.theme = readTheme(this.root);
    this.data = this.model.get("data");
    this.problems.show(this.data.problems);
    this.say(this.caption, this.data.caption);
    this.which.input.value = this.sender.get("picture");
    this.views.input.value = this.sender.get("view");
    this.tokens.input.value = this.sender.get("asks");
    this.read();
    this.drawPaper();
    this.drawMap();
    this.drawShares();
  }

  say(el, text) {
    if (el.textContent !== text) el.textContent = text;
  }

  // What the asking token read of the patches, as the grid that they stand in.
  read() {
    const [height, width, patch] = this.data.sides;
    const maps = unpack(this.data.maps);
    this.grid = null;
    if (!maps.shape[0]) return;
    const view = Math.min(this.sender.get("view"), maps.shape[0] - 1);
    const row = rowOf(matrix({ shape: maps.shape, values: maps.values }, view), this.sender.get("asks"));
    this.ofClass = row[0];
    this.grid = { values: Float32Array.from(row).subarray(1), rows: height / patch, cols: width / patch };
  }

  drawPaper() {
    const [rows, cols, patch] = this.data.sides;
    this.side = Math.floor(SIZE / Math.max(rows, cols));
    const pen = this.canvas.getContext("2d");
    fit(this.canvas, pen, { width: this.side * cols, height: this.side * rows });
    const pixels = this.pixels();
    for (let row = 0; row < rows; row += 1) {
      for (let col = 0; col < cols; col += 1) this.pixel(pen, row, col, pixels[row * cols + col], patch);
    }
    pen.strokeStyle = this.theme.line;
    pen.lineWidth = 1;
    for (let row = 0; row <= rows; row += patch) this.line(pen, 0, row, cols, row);
    for (let col = 0; col <= cols; col += patch) this.line(pen, col, 0, col, rows);
    pen.lineWidth = 2;
    pen.strokeStyle = this.theme.alarm;
    pen.strokeRect(this.cursor.col * this.side + 1, this.cursor.row * this.side + 1, this.side - 2, this.side - 2);
    const where = `pixel ${this.cursor.row + 1}, ${this.cursor.col + 1}, in patch ${patchOf(this.cursor, patch, cols)}`;
    const ink = number(pixels[this.cursor.row * cols + this.cursor.col]);
    this.canvas.setAttribute("aria-label", `paper, ${where}, ink ${ink}`);
  }

  // Paper is white and ink is black in both themes, as the model sees them; what was read lies over them in colour.
  pixel(pen, row, col, ink, patch) {
    const grey = Math.round(255 * (1 - Math.min(1, Math.max(0, ink))));
    pen.fillStyle = `rgb(${grey}, ${grey}, ${grey})`;
    pen.fillRect(col * this.side, row * this.side, this.side, this.side);
    if (!this.grid) return;
    const share = at(this.grid, Math.floor(row / patch), Math.floor(col / patch));
    pen.globalAlpha = tint(share, this.grid.values.length);
    pen.fillStyle = "#e0641a";
    pen.fillRect(col * this.side, row * this.side, this.side, this.side);
    pen.globalAlpha = 1;
  }

  line(pen, x, y, toX, toY) {
    pen.beginPath();
    pen.moveTo(x * this.side, y * this.side);
    pen.lineTo(toX * this.side, toY * this.side);
    pen.stroke();
  }

  drawMap() {
    this.map.el.hidden = !this.grid;
    if (!this.grid) return;
    const named = (n) => Array.from({ length: n }, (_, i) => String(i + 1));
    const spec = {
      values: this.grid, kind: "weights", limit: 1, mask: null, rowNames: named(this.grid.rows), colNames: named(this.grid.cols),
      rowAxis: "patches down", colAxis: "patches across", name: `what ${tokenName(this.sender.get("asks"))} read`, cursor: this.cell,
    };
    this.map.update(spec, this.theme, { width: 300, height: 230 });
    this.legend.update({ ...spec, ...this.map.patterns() }, this.theme);
    const who = tokenName(this.sender.get("asks"));
    const whole = `${who[0].toUpperCase()}${who.slice(1)} read ${number(this.ofClass)} of the class token, the rest of the patches.`;
    const cell = this.cell && `${who[0].toUpperCase()}${who.slice(1)} read ${tokenName(this.placeOf(this.cell))} with ${number(at(this.grid, this.cell.row, this.cell.col))}.`;
    this.say(this.said, cell || whole);
  }

  drawShares() {
    const key = JSON.stringify(this.data.shares);
    if (this.drawnShares === key) return;
    this.drawnShares = key;
    this.shares.replaceChildren(
      ...this.data.shares.map((share, name) => {
        const bar = make("span", "tc-answer-bar");
        bar.style.height = `${Math.round(40 * share)}px`;
        const box = make("span", "tc-answer-box", {}, bar);
        return make("span", "tc-answer", { title: number(share) }, box, make("span", "", {}, String(name)));
      }),
    );
    this.shares.setAttribute("role", "img");
    const best = ranked(this.data.shares).slice(0, 3).map(({ name, share }) => `${name} ${number(share)}`);
    this.shares.setAttribute("aria-label", `probabilities: ${best.join(", ")}`);
  }

  destroy() {
    this.stop();
  }
}

export default {
  render({ model, el }) {
    const pictures = new Pictures(model, el);
    return () => pictures.destroy();
  },
};
