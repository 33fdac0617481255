// Brings the widgets of a page to life without a kernel: each gets the values that a run has kept, and the answers
// that Python gave to some settings of its controls. Where an answer was not kept, the page says so.

export function theme(root = document.documentElement) {
  document.body.dataset.jpThemeLight = String(root.dataset.theme !== "dark");
}

// Numbers as the widgets want them: {shape, base64} becomes {shape, data: DataView}.
export function unpacked(value) {
  if (Array.isArray(value)) return value.map(unpacked);
  if (value === null || typeof value !== "object") return value;
  if ("base64" in value) {
    const bytes = Uint8Array.from(atob(value.base64), (one) => one.charCodeAt(0));
    return { shape: value.shape, data: new DataView(bytes.buffer) };
  }
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, unpacked(one)]));
}

// The place of the kept value that is meant: the nearest number, or one that is equal; -1 if there is none.
export function placeOf(value, kept) {
  if (typeof value !== "number") return kept.findIndex((one) => JSON.stringify(one) === JSON.stringify(value));
  const gaps = kept.map((one) => Math.abs(one - value));
  return gaps.indexOf(Math.min(...gaps));
}

// What a widget takes for its kernel.
export class Recorded {
  // kept: see course/widgets/recording.py. say: shows a line below the widget.
  constructor(kept, say) {
    Object.assign(this, { settings: kept.settings, answers: kept.answers, say, listeners: {}, changed: new Set() });
    this.values = unpacked(kept.state);
    this.base = this.values.data;
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    if (JSON.stringify(this.values[name]) === JSON.stringify(value)) return;
    this.values[name] = value;
    this.changed.add(name);
    this.tell(name);
  }

  on(event, listener) {
    (this.listeners[event] ??= []).push(listener);
  }

  off(event, listener) {
    this.listeners[event] = (this.listeners[event] ?? []).filter((one) => one !== listener);
  }

  tell(name) {
    [...(this.listeners[`change:${name}`] ?? [])].forEach((listener) => listener());
  }

  save_changes() {
    const asked = [...this.changed].some((name) => name in this.settings);
    this.changed.clear();
    if (asked) this.answer();
  }

  answer() {
    const names = Object.keys(this.settings);
    const places = names.map((name) => placeOf(this.values[name], this.settings[name]));
    const exact = names.every((name, i) => this.settings[name].length > 1 || this.isFirst(name));
    const missing = names.find((name, i) => places[i] < 0);
    if (missing || !exact) {
      this.say("Only Python knows the answer to this: open the lesson in JupyterLab. What is shown belongs to another setting.");
    } else {
      this.say("");
      names.forEach((name, i) => {
        this.values[name] = this.settings[name][places[i]];
        this.tell(name);
      });
      const at = names.reduce((sum, name, i) => sum * this.settings[name].length + places[i], 0);
      this.values.data = { ...this.base, ...unpacked(this.answers[at] ?? {}) };
    }
    this.tell("data");
  }

  isFirst(name) {
    return JSON.stringify(this.values[name]) === JSON.stringify(this.settings[name][0]);
  }
}

async function wake(place) {
  const address = place.dataset.widget;
  const kept = await (await fetch(address)).json();
  const module = await import(new URL(kept.module, new URL(address, document.baseURI)).href);
  const note = document.createElement("p");
  note.className = "tc-note-below";
  note.setAttribute("role", "status");
  const el = document.createElement("div");
  const say = (text) => { note.textContent = text; };
  const picture = place.firstElementChild;
  place.append(el, note);
  module.default.render({ model: new Recorded(kept, say), el });
  picture.remove();
  place.dataset.live = "yes";
}

// A formula or a table wider than its column scrolls, so the keyboard has to get there.
export function reachable(wide) {
  for (const one of wide) {
    if (one.scrollWidth > one.clientWidth) one.setAttribute("tabindex", "0");
    else one.removeAttribute("tabindex");
  }
}

export function start() {
  theme();
  const wide = document.querySelectorAll("math[display=block], article table");
  new ResizeObserver(() => reachable(wide)).observe(document.body);
  new MutationObserver(() => theme()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const sight = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((one) => one.isIntersecting)) {
      sight.unobserve(entry.target);
      wake(entry.target).catch((error) => console.error("The picture stays:", error));
    }
  }, { rootMargin: "600px" });
  document.querySelectorAll(".tc-live").forEach((place) => sight.observe(place));
}

if (typeof document !== "undefined") start();
