// Small controls: plain DOM, reachable by keyboard, named for screen readers.

export function make(tag, className = "", props = {}, ...children) {
  const el = Object.assign(document.createElement(tag), props);
  if (className) el.className = className;
  el.append(...children);
  return el;
}

// A row of buttons of which one is chosen; arrow keys move the choice.
export function segmented(label, options, onChoose) {
  const el = make("div", "tc-segmented");
  el.setAttribute("role", "radiogroup");
  el.setAttribute("aria-label", label);
  const buttons = options.map(({ value, text, title, note }) => {
    const button = make("button", "tc-segment", { type: "button", title: title ?? "" }, text);
    if (note) addNote(button, text, note);
    button.setAttribute("role", "radio");
    button.dataset.value = value;
    button.addEventListener("click", () => onChoose(value));
    return button;
  });
  el.append(...buttons);
  el.addEventListener("keydown", (event) => {
    const next = stepped(buttons, event.key);
    if (!next) return;
    event.preventDefault();
    next.focus();
    next.click();
  });
  return { el, buttons, choose: (value) => mark(buttons, String(value)) };
}

// A line below the name. It describes the button and is no part of its name.
function addNote(button, name, note) {
  button.setAttribute("aria-label", name);
  button.setAttribute("aria-description", note);
  button.append(make("span", "tc-note", {}, note));
}

function mark(buttons, value) {
  const chosen = buttons.some((button) => button.dataset.value === value);
  buttons.forEach((button, i) => {
    const on = button.dataset.value === value;
    button.setAttribute("aria-checked", String(on));
    button.tabIndex = on || (!chosen && i === 0) ? 0 : -1;
  });
}

function stepped(buttons, key) {
  const usable = buttons.filter((button) => !button.disabled);
  const here = usable.indexOf(document.activeElement);
  if (key === "Home") return usable[0];
  if (key === "End") return usable.at(-1);
  const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[key];
  return step && here >= 0 ? usable[(here + step + usable.length) % usable.length] : null;
}

// A named slider with its value written beside it.
export function slider(label, { min, max, step, value }, write, onMove) {
  const input = make("input", "tc-slider", { type: "range", min, max, step, value });
  const shown = make("output", "tc-shown", {}, write(value));
  input.setAttribute("aria-label", label);
  const say = (x) => {
    shown.textContent = write(x);
    input.setAttribute("aria-valuetext", write(x));
  };
  input.addEventListener("input", () => {
    say(Number(input.value));
    onMove(Number(input.value));
  });
  const el = make("label", "tc-control", {}, make("span", "tc-label", {}, label), input, shown);
  const set = (x) => {
    input.value = x;
    say(x);
  };
  set(value);
  return { el, input, set };
}

export function select(label, options, value, onChoose) {
  const input = make("select", "tc-select");
  options.forEach(([key, text]) => input.append(make("option", "", { value: key }, text)));
  input.value = value;
  input.setAttribute("aria-label", label);
  input.addEventListener("change", () => onChoose(input.value));
  return { el: make("label", "tc-control", {}, make("span", "tc-label", {}, label), input), input };
}

// The line on top that says what is wrong, or that nothing is.
export function problemsLine() {
  const el = make("div", "tc-problems");
  el.setAttribute("role", "status");
  return {
    el,
    show(problems, notes = []) {
      const key = JSON.stringify([problems, notes]);
      if (el.dataset.key === key) return;
      el.dataset.key = key;
      el.classList.toggle("tc-wrong", problems.length > 0);
      const lines = problems.length ? problems : notes;
      el.replaceChildren(...lines.map((text) => make("p", "", {}, ...withCode(text))));
      el.hidden = !lines.length;
    },
  };
}

// Text in which `names` in backticks are set as code.
export function withCode(text) {
  return text.split("`").map((part, i) => (i % 2 ? make("code", "tc-code", {}, part) : part));
}

// A row of numbers on the colour of their scale: the vectors behind a cell.
export function strip(name, chips) {
  const row = make("span", "tc-chips", {}, ...chips.map(chip));
  return make("div", "tc-strip", {}, make("span", "tc-strip-name", { title: name }, name), row);
}

function chip({ text, back, ink, masked, here, gap }) {
  if (gap) return make("span", "tc-gap", {}, gap);
  const el = make("span", `tc-chip${masked ? " tc-masked" : ""}${here ? " tc-here" : ""}`, {}, text);
  if (back) Object.assign(el.style, { background: back, color: ink });
  return el;
}

// The root of a widget: themed, and deaf to the notebook's own shortcuts while it has the focus.
export function root(el, name, ...children) {
  const box = make("div", `tc-root tc-${name}`);
  box.dataset.lmSuppressShortcuts = "true";
  box.append(...children);
  box.addEventListener("keydown", (event) => event.stopPropagation());
  el.append(box);
  return box;
}
