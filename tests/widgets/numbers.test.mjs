import assert from "node:assert/strict";
import { test } from "node:test";
import { cellStyle, cellText, count, factor, listed, number, short } from "../../course/widgets/numbers.js";

test("a number keeps two decimals, more when it is small, fewer when it is large", () => {
  assert.deepEqual(
    [0, 0.125, -1.0666, 0.0031, 1240.4, 250000, 0.00002, NaN, -Infinity].map(number),
    ["0", "0.13", "−1.07", "0.0031", "1240", "2.5e5", "2.0e−5", "NaN", "−∞"],
  );
});

test("short drops zeros behind the point and no others", () => {
  assert.deepEqual([2, 0.5, -1.25, 40, 1000, 1e-5, 100000].map(short), ["2", "0.5", "−1.25", "40", "1000", "1e−5", "1e5"]);
});

test("a negative factor stands in parentheses", () => {
  assert.equal(factor(-0.5), "(−0.5)");
  assert.equal(factor(0.5), "0.5");
});

test("a cell shows what fits, and never calls a small number zero", () => {
  assert.equal(cellText(0.25, 44), "0.25");
  assert.equal(cellText(0.25, 24), ".25");
  assert.equal(cellText(0.25, 12), "");
  assert.equal(cellText(0.93, 16), "");
  assert.equal(cellText(-0.03, 37, 2), "~0");
  assert.equal(cellText(0, 44), "0");
  assert.equal(cellText(0.001, 44), "~0");
  assert.equal(cellText(-0.001, 44), "~0");
  assert.equal(cellText(NaN, 44), "NaN");
  assert.equal(cellText(-12.34, 44), "−12.3");
  assert.equal(cellText(-7.67, 37), "−7.7");
});

test("a panel is written in one style, the widest that fits all of it", () => {
  assert.equal(cellStyle([0.25, 1, 0.5], 56), 0);
  assert.equal(cellStyle([0.25, -7.67], 37), 2);
  assert.equal(cellText(0.25, 37, cellStyle([0.25, -7.67], 37)), "0.3");
  assert.equal(cellStyle([0.25, 13.8], 37), 0);
  assert.equal(cellStyle([0.25, NaN, Infinity], 37), 0);
});

test("a list names three and counts the rest", () => {
  assert.equal(listed(["a", "b", "c"]), "a, b, c");
  assert.equal(listed(["a", "b", "c", "d", "e"]), "a, b, c and 2 more");
  assert.equal(count(["a"], "row is", "rows are"), "1 row is");
});
