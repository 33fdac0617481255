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

// What fits in a cell of the given width in pixels, "" when nothing does.
export function cellText(value, width) {
  if (Number.isNaN(value)) return width >= 26 ? "NaN" : "";
  if (width < 22) return "";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 0.005) return width >= 34 ? `${value < 0 ? MINUS : ""}~0` : "~0";
  const decimals = size >= 100 ? 0 : size >= 10 || width < 34 ? 1 : 2;
  const text = size.toFixed(width < 34 && size < 1 ? 2 : decimals);
  const tight = width < 34 ? text.replace(/^0\./, ".") : text;
  return tight.length * 5 > width ? "" : (value < 0 ? MINUS : "") + tight;
}

export function listed(items) {
  const rest = items.length - SHOWN;
  const text = items.slice(0, SHOWN).join(", ");
  return rest > 0 ? `${text} and ${rest} more` : text;
}

export function count(items, one, many) {
  return items.length === 1 ? `1 ${one}` : `${items.length} ${many}`;
}
