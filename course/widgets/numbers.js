// How the widgets write numbers. numbers.py writes the same; a test holds the two together.

export const MINUS = "\u2212";
const SHOWN = 3;

export function number(value) {
  if (Number.isNaN(value)) return "NaN";
  return (value < 0 ? MINUS : "") + sizeText(Math.abs(value));
}

function sizeText(size) {
  if (size === Infinity) return "\u221e";
  if (size === 0) return "0";
  if (size >= 1e5 || size < 1e-4) return exponentText(size);
  return size.toFixed(size >= 1000 ? 0 : size >= 0.01 ? 2 : 4);
}

function exponentText(size) {
  const [digits, power] = size.toExponential(1).split("e");
  return `${digits}e${Number(power)}`.replace("-", MINUS);
}

// Without trailing zeros: for arithmetic, where 2 reads better than 2.00.
export function short(value) {
  return number(value).replace(/(\.\d*?)0+(?=e|$)/, "$1").replace(/\.(?=e|$)/, "");
}

// A factor or summand: a negative number stands in parentheses.
export function factor(value) {
  return value < 0 ? `(${short(value)})` : short(value);
}

// The size of the text in a cell of the given width, in pixels.
export function cellFont(width) {
  return width >= 44 ? 13 : width >= 34 ? 11 : 9.5;
}

// Two decimals, two without the leading zero, one, none.
const STYLES = [[2, true], [2, false], [1, true], [0, true]];

// The first style that fits every number of a panel, so that all of it is written alike; large ones shrink alone.
export function cellStyle(values, width) {
  const voters = Array.from(values).filter((x) => Math.abs(x) < 10);
  const style = STYLES.findIndex((_, i) => voters.every((x) => fits(styled(x, i), width)));
  return style < 0 ? STYLES.length - 1 : style;
}

// What fits in a cell of the given width in pixels, from the given style on; "" when nothing does.
export function cellText(value, width, style = 0) {
  if (Number.isNaN(value)) return width >= 26 ? "NaN" : "";
  // A small number without decimals says too little: rather none at all.
  const last = Math.abs(value) < 10 ? STYLES.length - 1 : STYLES.length;
  const texts = STYLES.map((_, i) => styled(value, i)).slice(style, last);
  return texts.find((text) => fits(text, width)) ?? "";
}

function fits(text, width) {
  return text.length * 0.59 * cellFont(width) <= width - 5;
}

function styled(value, style) {
  const size = Math.abs(value);
  const sign = value < 0 ? MINUS : "";
  if (size === 0) return "0";
  if (size < 0.005) return "~0";
  const [decimals, lead] = STYLES[style];
  const text = size.toFixed(Math.min(decimals, size >= 100 ? 0 : size >= 10 ? 1 : 2));
  if (Number(text) === 0) return "~0";
  return sign + (lead ? text : text.replace(/^0\./, "."));
}

export function listed(items) {
  const rest = items.length - SHOWN;
  const text = items.slice(0, SHOWN).join(", ");
  return rest > 0 ? `${text} and ${rest} more` : text;
}

export function count(items, one, many) {
  return items.length === 1 ? `1 ${one}` : `${items.length} ${many}`;
}
