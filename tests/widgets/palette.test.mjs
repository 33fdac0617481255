import assert from "node:assert/strict";
import { test } from "node:test";
import { ANCHORS, colourOf, inkOn, luminance, position, ramp, ticks } from "../../course/widgets/palette.js";

const themes = ["light", "dark"];

// OKLab lightness of an sRGB colour: the inverse of what palette.js does.
function lightness(rgb) {
  const [r, g, b] = rgb.map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
}

test("the lightness of the weights' scale changes in equal steps", () => {
  for (const theme of themes) {
    const colours = ramp(ANCHORS[theme].weights);
    const levels = [0, 51, 102, 153, 204, 255].map((i) => lightness(colours[i]));
    const steps = levels.slice(1).map((x, i) => x - levels[i]);
    const even = (levels.at(-1) - levels[0]) / 5;
    steps.forEach((step) => assert.ok(Math.abs(step - even) < 0.25 * Math.abs(even), `${theme}: ${steps}`));
  }
});

test("both halves of the signed scale are equally far from the quiet centre", () => {
  for (const theme of themes) {
    const colours = ramp(ANCHORS[theme].signed);
    const [low, centre, high] = [0, 127, 255].map((i) => lightness(colours[i]));
    assert.ok(Math.abs(low - high) < 0.04, `${theme}: ${low} ${high}`);
    assert.ok(Math.abs(low - centre) > 0.35, `${theme}: ${low} ${centre}`);
  }
});

test("colour-blind readers keep the signs apart: one end is bluer, the other redder", () => {
  for (const theme of themes) {
    const colours = ramp(ANCHORS[theme].signed);
    assert.ok(colours[0][2] > colours[0][0] + 60);
    assert.ok(colours[255][0] > colours[255][2] + 60);
  }
});

test("text on any colour of any scale has a contrast of at least 4.5, as WCAG asks", () => {
  for (const theme of themes) {
    for (const kind of ["weights", "signed"]) {
      for (const colour of ramp(ANCHORS[theme][kind])) {
        const ink = luminance(inkOn(colour).match(/\d+/g).map(Number));
        const [high, low] = [ink, luminance(colour)].sort((a, b) => b - a);
        assert.ok((high + 0.05) / (low + 0.05) >= 4.5, `${theme} ${kind} ${colour}`);
      }
    }
  }
});

test("a scale is fixed: the same number has the same colour whatever stands beside it", () => {
  assert.equal(position(0.5, "weights", 1), 0.5);
  assert.equal(position(0, "signed", 7), 0.5);
  assert.equal(position(2, "weights", 1), 1);
  assert.deepEqual(colourOf(0.3, "weights", 1, false), colourOf(0.3, "weights", 1, false));
  assert.notDeepEqual(colourOf(0.3, "weights", 1, false), colourOf(0.6, "weights", 1, false));
  assert.deepEqual(ticks("signed", 4), [-4, -2, 0, 2, 4]);
});
