// The distribution of the next token over the whole vocabulary, while temperature, top-k and top-p are turned.
import { make, problemsLine, root, slider, strip } from "./controls.js";
import { clamp } from "./layout.js";
import { LineChart } from "./lines.js";
import { unpack } from "./matrices.js";
import { number } from "./numbers.js";
import { colourOf, css, inkOn } from "./palette.js";
import { SILENCE, Sender } from "./sender.js";
import { onChange, perFrame, readTheme } from "./theme.js";

const KNOBS = ["temperature", "top_k", "top_p", "seed"];
const CHIPS = 60;

// ---- pure: what is said ----

// Of a token: what it had, and what it has now; a 0 that neither top_k nor top_p made is a rounded one.
export function tokenText(token, rank, size, score, plain, now, rounded = false) {
  const zero = rounded ? "not cut, but so improbable that it is rounded to 0" : "cut: it cannot be drawn";
  const fate = now > 0 ? `drawn with ${probability(now)}` : zero;
  return [`“${token}”, rank ${rank} of ${size}`, `score ${number(score)}; by the model itself ${probability(plain)}; ${fate}`];
}

// Small probabilities are told in powers: 0.0031 is the last that reads well.
export function probability(value) {
  if (Number.isNaN(value)) return "NaN";
  return value === 0 ? "0" : number(value);
}

export function topKText(k) {
  return k === 0 ? "all" : `${k} ${k === 1 ? "token" : "tokens"}`;
}

export function topPText(p) {
  return p >= 1 ? "all" : p.toFixed(2);
}

// A zero cannot stand on a logarithmic axis: it is left out, and where the line ends, the cut is seen.
export function drawable(values, floor) {
  return Array.from(values, (value) => (value > 0 ? Math.max(value, floor) : NaN));
}

// ---- the widget ----

class Sampling {
  constructor(model, el) {
    this.model = model;
    this.rank = 1;
    this.sender = new Sender(model, KNOBS, () => this.problems.show([SILENCE]));
    this.build(el);
    this.redraw = perFrame(() => this.draw());
    this.heard = () => this.hear();
    ["data", ...KNOBS].forEach((name) => model.on(`change:${name}`, this.heard));
    this.stop = onChange(this.root, this.redraw);
    this.draw();
  }

  build(el) {
    const { size, coldest, hottest } = this.model.get("data");
    this.temperature = slider("temperature", { min: coldest, max: hottest, step: 0.05, value: 1 }, (x) => x.toFixed(2), (x) => this.send("temperature", x));
    this.topK = slider("top_k", { min: 0, max: size, step: 1, value: 0 }, topKText, (x) => this.send("top_k", x));
    this.topP = slider("top_p", { min: 0.01, max: 1, step: 0.01, value: 1 }, topPText, (x) => this.send("top_p", x));
    this.problems = problemsLine();
    this.caption = make("p", "tc-caption");
    this.caption.setAttribute("aria-live", "polite");
    this.chart = new LineChart({ onCursor: (x) => this.move(x) });
    this.reading = make("div", "tc-sum tc-table");
    this.reading.setAttribute("aria-live", "polite");
    this.chips = make("div", "tc-sum tc-tokens");
    this.again = make("button", "tc-button", { type: "button" }, "draw 20");
    this.again.addEventListener("click", () => this.send("seed", this.sender.get("seed") + 1));
    this.drawn = make("span", "tc-caption tc-drawn");
    this.drawn.setAttribute("aria-live", "polite");
    const knobs = make("div", "tc-row", {}, this.temperature.el, this.topK.el, this.topP.el);
    const draws = make("div", "tc-row tc-sum", {}, this.again, this.drawn);
    const key = make("p", "tc-keys", {}, this.key("tc-line2 tc-dashed", "the model's own"), this.key("tc-line1", "what is drawn from"));
    const hint = make("p", "tc-keysline", {}, "Point at the curves, or use the left and right arrow keys on the chart: a token is chosen. A token without a point on the blue curve is cut, or rounded to 0.");
    const said = make("div", "tc-row", {}, this.caption);
    this.root = root(el, "sampling", knobs, this.problems.el, said, this.chart.el, key, this.reading, this.chips, draws, hint);
  }

  key(look, text) {
    return make("span", "tc-key", {}, make("i", `tc-swatch ${look}`), text);
  }

  send(name, value) {
    this.sender.send(name, value);
    this.redraw();
  }

  move(rank) {
    this.rank = rank;
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
    const { size } = this.data;
    this.rank = clamp(this.rank, 1, size);
    this.temperature.set(this.sender.get("temperature"));
    this.topK.set(this.sender.get("top_k"));
    this.topP.set(this.sender.get("top_p"));
    [this.scores, this.plain, this.probs] = ["scores", "plain", "probs"].map((name) => unpack(this.data[name]).values);
    this.problems.show(this.data.problems, this.data.yours ? ["No problems: yours agrees with the stand-in."] : []);
    this.caption.textContent = this.data.caption;
    this.drawn.textContent = this.data.drawn;
    this.drawChart();
    this.readOut();
    this.drawChips();
  }

  drawChart() {
    const { size, floor } = this.data;
    const series = [
      { label: "the model's own", start: 1, values: drawable(this.plain, floor), colour: this.theme.series2, dash: [8, 4] },
      { label: "what is drawn from", start: 1, values: drawable(this.probs, floor), colour: this.theme.series1 },
    ];
    const words = { name: "probability of every token, from the best score to the worst", xAxis: "rank of the token", yAxis: "probability" };
    const spec = { ...words, x: [1, size], y: [floor, 1], log: true, within: [1, size], cursor: this.rank, series };
    this.chart.update(spec, this.theme, { width: this.root.clientWidth - 32, height: 240 });
  }

  readOut() {
    const i = this.rank - 1;
    const [title, line] = tokenText(this.data.tokens[i], this.rank, this.data.size, this.scores[i], this.plain[i], this.probs[i], this.data.rounded[i]);
    if (this.said === title + line) return;
    this.said = title + line;
    this.reading.replaceChildren(make("h4", "", {}, title), make("p", "", {}, line));
  }

  drawChips() {
    const { tokens, size, rounded } = this.data;
    const chips = tokens.slice(0, CHIPS).map((text, i) => {
      const colour = colourOf(Math.max(0, this.probs[i] || 0), "weights", 1, this.theme.dark);
      const cut = !(this.probs[i] > 0 || rounded[i]);
      return cut ? { text, masked: true, here: i === this.rank - 1 } : { text, back: css(colour), ink: inkOn(colour), here: i === this.rank - 1 };
    });
    if (size > CHIPS) chips.push({ gap: `and ${size - CHIPS} more` });
    this.chips.replaceChildren(strip("tokens", chips));
  }

  destroy() {
    this.stop();
    this.sender.destroy();
    ["data", ...KNOBS].forEach((name) => this.model.off(`change:${name}`, this.heard));
  }
}

export default {
  render({ model, el }) {
    const sampling = new Sampling(model, el);
    return () => sampling.destroy();
  },
};
