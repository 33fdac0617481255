// A telephone: dial, listen, add noise; spectrogram, text and attention follow.
import { make, problemsLine, root, slider } from "./controls.js";
import { follow } from "./follow.js";
import { Heatmap, Legend } from "./heatmap.js";
import { at, matrix, unpack } from "./matrices.js";
import { number } from "./numbers.js";
import { Sender, SILENCE } from "./sender.js";
import { readTheme } from "./theme.js";

const TRAITS = ["data", "dialled", "noise"];
const COLUMNS = 4;
const LIMIT = 9;

// ---- pure: what a hand does, and what is said ----

// What is dialled after a key of the keyboard; null where the key means nothing here.
export function dialledAfter(keys, key, keypad, longest) {
  if (key === "Backspace" || key === "Delete") return keys.slice(0, -1);
  const name = key.length === 1 ? key.toUpperCase() : "";
  if (!keypad.includes(name)) return null;
  return keys.length < longest ? keys + name : keys;
}

// Where an arrow key leads on the pad; null for another key.
export function padAfter(place, key, count) {
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -COLUMNS, ArrowDown: COLUMNS }[key];
  if (!step) return null;
  const to = place + step;
  return to >= 0 && to < count ? to : place;
}

// Every fourth name, so that they do not run into each other.
export function sparse(names, every) {
  return names.map((name, i) => (i % every ? "" : name));
}

export function powerText(hertz, time, value) {
  return `${hertz} Hz at ${time} s: ${number(value)}, the logarithm of power + floor.`;
}

export function weightText(name, time, value) {
  return `For “${name}” it read the vector at ${time} s with ${number(value)}.`;
}

// ---- the widget ----

class TonePad {
  constructor(model, el) {
    this.model = model;
    this.cursors = [null, null];
    this.sender = new Sender(model, ["dialled", "noise"], () => this.problems.show([SILENCE]));
    this.build(el);
    this.stop = follow(this, TRAITS);
  }

  build(el) {
    const { keypad, loudest } = this.model.get("data");
    this.keypad = keypad;
    this.problems = problemsLine();
    this.pad = make("div", "tc-pad");
    this.pad.setAttribute("role", "group");
    this.pad.setAttribute("aria-label", "keys of the telephone");
    this.buttons = keypad.map((key, place) => this.button(key, place));
    this.pad.append(...this.buttons);
    this.number = make("output", "tc-dialled");
    this.number.setAttribute("aria-label", "dialled");
    this.back = make("button", "tc-button", { type: "button" }, "delete last");
    this.back.addEventListener("click", () => this.press("Backspace"));
    this.clear = make("button", "tc-button", { type: "button" }, "clear");
    this.clear.addEventListener("click", () => this.send("dialled", ""));
    this.noise = slider("noise", { min: 0, max: loudest, step: 0.1, value: this.model.get("noise") }, number, (value) => this.send("noise", value));
    this.audio = make("audio", "tc-audio", { controls: true });
    this.audio.setAttribute("aria-label", "the sound");
    this.caption = make("p", "tc-caption");
    this.caption.setAttribute("aria-live", "polite");
    this.power = new Heatmap({ onCursor: (cell) => this.point(0, cell) });
    this.powerLegend = new Legend();
    this.powerSum = make("p", "tc-sum");
    this.looked = new Heatmap({ onCursor: (cell) => this.point(1, cell) });
    this.lookedLegend = new Legend();
    this.lookedSum = make("p", "tc-sum");
    const side = make("div", "tc-dialling", {}, this.number, make("div", "tc-buttons", {}, this.back, this.clear), this.noise.el, this.audio, this.caption);
    const top = make("div", "tc-phone", {}, this.pad, side);
    this.maps = make("div", "tc-maps", {}, this.power.el, this.powerSum, this.powerLegend.el, this.looked.el, this.lookedSum, this.lookedLegend.el);
    const hint = make("p", "tc-keysline", {}, "On the pad: type a key to dial it, Backspace deletes the last, the arrow keys go from key to key.");
    this.root = root(el, "pad-widget", this.problems.el, top, this.maps, hint);
    this.pad.addEventListener("keydown", (event) => this.key(event));
  }

  button(key, place) {
    const el = make("button", "tc-button tc-padkey", { type: "button" }, key);
    el.tabIndex = place ? -1 : 0;
    el.addEventListener("click", () => this.press(key));
    el.addEventListener("focus", () => this.buttons.forEach((one, i) => (one.tabIndex = i === place ? 0 : -1)));
    return el;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = padAfter(this.buttons.indexOf(document.activeElement), event.key, this.buttons.length);
    if (to !== null) this.buttons[to].focus();
    else if (!this.press(event.key)) return;
    event.preventDefault();
  }

  press(key) {
    const next = dialledAfter(this.sender.get("dialled"), key, this.keypad, this.model.get("data").longest);
    if (next === null) return false;
    this.send("dialled", next);
    return true;
  }

  send(name, value) {
    this.sender.send(name, value);
    this.redraw();
  }

  point(map, cell) {
    this.cursors[map] = cell;
    this.redraw();
  }

  draw() {
    if (!this.root.clientWidth) return;
    this.theme = readTheme(this.root);
    const data = this.model.get("data");
    if (data !== this.data) {
      this.data = data;
      this.audio.src = `data:audio/wav;base64,${data.sound}`;
      this.problems.show(data.problems);
    }
    const keys = this.sender.get("dialled");
    this.say(this.number, keys || "–");
    this.back.disabled = this.clear.disabled = !keys;
    this.noise.set(this.sender.get("noise"));
    this.say(this.caption, data.caption);
    this.drawPower();
    this.drawLooked();
  }

  say(el, text) {
    if (el.textContent !== text) el.textContent = text;
  }

  drawPower() {
    const { spectrogram, hertz, frameTimes } = this.data;
    const spec = { kind: "signed", limit: LIMIT, rowNames: sparse(hertz, 8), colNames: sparse(frameTimes, 8), rowAxis: "frequency, Hz", colAxis: "time, s", name: "spectrogram" };
    const cell = this.drawMap(0, this.power, this.powerLegend, spectrogram, spec, 200);
    this.say(this.powerSum, cell ? powerText(hertz[cell.row], frameTimes[cell.col], cell.value) : "");
  }

  drawLooked() {
    const { weights, written, vectorTimes } = this.data;
    const spec = { kind: "weights", limit: 1, rowNames: written, colNames: sparse(vectorTimes, 4), rowAxis: "written (asks)", colAxis: "time of the vector, s (is read)", name: "where the transcriber looked" };
    const cell = this.drawMap(1, this.looked, this.lookedLegend, weights, spec, 22 * Math.max(1, written.length));
    this.say(this.lookedSum, cell ? weightText(written[cell.row], vectorTimes[cell.col], cell.value) : "");
  }

  // Draws one of the two maps, where there is anything to draw; the cell under the cursor.
  drawMap(number, map, legend, entry, spec, height) {
    map.el.hidden = legend.el.hidden = !entry;
    if (!entry) return null;
    const values = matrix(unpack(entry));
    const cursor = this.cursors[number];
    if (cursor && (cursor.row >= values.rows || cursor.col >= values.cols)) this.cursors[number] = null;
    const full = { ...spec, values, mask: null, cursor: this.cursors[number], stretch: true };
    map.update(full, this.theme, { width: this.root.clientWidth - 32, height });
    legend.update({ ...full, ...map.patterns() }, this.theme);
    const here = this.cursors[number];
    return here && { ...here, value: at(values, here.row, here.col) };
  }

  destroy() {
    this.stop();
    this.audio.pause();
  }
}

export default {
  render({ model, el }) {
    const pad = new TonePad(model, el);
    return () => pad.destroy();
  },
};
