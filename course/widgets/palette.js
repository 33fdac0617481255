// The two colour scales. Lightness changes in equal steps (OKLab, Björn Ottosson 2020); blue and orange stay
// apart for colour-blind readers; zero is the quietest colour in both themes.

const STEPS = 256;

// (lightness, chroma, hue in degrees), at equal distances along the scale.
export const ANCHORS = {
  light: {
    weights: [[0.985, 0.004, 240], [0.66, 0.125, 240], [0.335, 0.125, 272]],
    signed: [[0.5, 0.135, 252], [0.74, 0.085, 245], [0.98, 0, 90], [0.74, 0.12, 55], [0.5, 0.135, 42]],
  },
  dark: {
    weights: [[0.29, 0.012, 265], [0.6, 0.125, 248], [0.91, 0.07, 205]],
    signed: [[0.8, 0.1, 235], [0.55, 0.115, 250], [0.3, 0, 90], [0.56, 0.115, 50], [0.82, 0.11, 68]],
  },
};

export function ramp(anchors) {
  const labs = anchors.map(toLab);
  return Array.from({ length: STEPS }, (_, step) => {
    const place = (step / (STEPS - 1)) * (labs.length - 1);
    const left = Math.min(Math.floor(place), labs.length - 2);
    return toRgb(labs[left].map((x, i) => x + (place - left) * (labs[left + 1][i] - x)));
  });
}

function toLab([lightness, chroma, hue]) {
  const angle = (hue * Math.PI) / 180;
  return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)];
}

function toRgb([lightness, a, b]) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((x) => Math.round(255 * gamma(Math.min(1, Math.max(0, x)))));
}

function gamma(x) {
  return x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055;
}

const ramps = {};

export function scaleOf(kind, dark) {
  const theme = dark ? "dark" : "light";
  const key = `${theme} ${kind}`;
  ramps[key] ??= ramp(ANCHORS[theme][kind]);
  return ramps[key];
}

// Where a value stands on its scale, 0 to 1: weights run from 0 to the limit, signed numbers from -limit to limit.
export function position(value, kind, limit) {
  const place = kind === "weights" ? value / limit : (value + limit) / (2 * limit);
  return Math.min(1, Math.max(0, place));
}

export function colourOf(value, kind, limit, dark) {
  return scaleOf(kind, dark)[Math.round(position(value, kind, limit) * (STEPS - 1))];
}

export function css([red, green, blue]) {
  return `rgb(${red} ${green} ${blue})`;
}

// Relative luminance, WCAG 2.
export function luminance(rgb) {
  const [red, green, blue] = rgb.map((x) => {
    const share = x / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export const DARK_INK = [0, 0, 0];
export const LIGHT_INK = [255, 255, 255];

// Of two inks the one with more contrast.
export function inkOn(rgb) {
  const light = luminance(rgb);
  const onDark = (luminance(LIGHT_INK) + 0.05) / (light + 0.05);
  const onLight = (light + 0.05) / (luminance(DARK_INK) + 0.05);
  return css(onDark > onLight ? LIGHT_INK : DARK_INK);
}

export function ticks(kind, limit) {
  const marks = kind === "weights" ? [0, 0.25, 0.5, 0.75, 1] : [-1, -0.5, 0, 0.5, 1];
  return marks.map((mark) => mark * limit);
}
