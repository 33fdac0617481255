import assert from "node:assert/strict";
import { test } from "node:test";
import {
  around, chartPlace, decades, levelPlaces, linearTicks, logTicks, markTexts, nearest, nearestStop, runs, stepOf, toX, toY,
} from "../../course/widgets/lines.js";

const place = chartPlace({ width: 320, height: 200, left: 40, x: [0, 10], y: [-1, 1] });
const tall = chartPlace({ width: 320, height: 200, left: 40, x: [1, 9], y: [0.01, 100], log: true });

test("linear ticks are round numbers within the range", () => {
  assert.deepEqual(linearTicks(-1.1, 1.1, 4), [-1, 0, 1]);
  assert.deepEqual(linearTicks(0, 17, 4), [0, 5, 10, 15]);
  assert.deepEqual(linearTicks(0, 63, 6), [0, 20, 40, 60]);
  assert.deepEqual(linearTicks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(linearTicks(1e-5, 3e-5, 2), [1e-5, 2e-5, 3e-5]);
});

test("logarithmic ticks are powers of ten, few and evenly apart", () => {
  assert.deepEqual(logTicks(0.01, 100), [0.01, 0.1, 1, 10, 100]);
  assert.deepEqual(logTicks(1e-14, 100), [1e-14, 1e-10, 1e-6, 0.01, 100]);
  assert.deepEqual(logTicks(1, 10), [1, 10]);
});

test("ticks are written alike: plain, or all as powers", () => {
  assert.deepEqual(markTexts([0.01, 1, 1000], true), ["0.01", "1", "1000"]);
  assert.deepEqual(markTexts([1e-14, 1, 10], true), ["10⁻¹⁴", "10⁰", "10¹"]);
  assert.deepEqual(markTexts([0.001, 0.003, 0.01], true), ["0.001", "0.003", "0.01"]);
  assert.deepEqual(markTexts([-1, 0, 1], false), ["−1", "0", "1"]);
});

test("the decades hold all positive numbers, and stop where others would be pressed flat", () => {
  assert.deepEqual(decades([[0.02, 3], [40]]), [0.01, 100]);
  assert.deepEqual(decades([[0, NaN, 1]]), [1, 10]);
  assert.deepEqual(decades([[1e-40, 1]]), [1e-16, 1]);
  assert.deepEqual(decades([[1e30, 1]]), [1, 1e16]);
  assert.deepEqual(decades([]), [0.1, 10]);
  assert.deepEqual(decades([[Infinity, 2]]), [1, 10]);
});

test("a range is a little wider than its numbers, and may begin at 0", () => {
  assert.deepEqual(around([[-1, 1]]), [-1.12, 1.12]);
  assert.deepEqual(around([[5, 16]], true), [0, 16.96]);
  assert.deepEqual(around([[NaN]]), [-0.06, 0.06]);
});

test("a place on the screen and back", () => {
  for (let x = 0; x <= 10; x += 1) assert.equal(nearest(place, toX(place, x), 100), x);
  assert.equal(nearest(place, toX(place, 0) - 6, 100), 0);
  assert.equal(nearest(place, 5, 100), null);
  assert.equal(nearest(place, 200, 195), null);
  assert.equal(toY(place, 1), place.top);
  assert.equal(toY(place, -1), place.bottom);
});

test("on a logarithmic axis equal factors are equal steps, and nothing below 0 has a place", () => {
  const steps = [0.01, 0.1, 1, 10, 100].map((value) => toY(tall, value));
  const apart = steps.slice(1).map((y, i) => steps[i] - y);
  apart.forEach((step) => assert.ok(Math.abs(step - apart[0]) < 1e-9));
  assert.deepEqual([0, -1, NaN].map((value) => toY(tall, value)), [null, null, null]);
  assert.ok(toY(tall, 1e-9) > tall.bottom, "beyond the end is beyond the end, not at it");
});

test("a line breaks where there is no number, and goes on", () => {
  const found = runs(place, 0, [0, 1, NaN, 0.5, NaN]);
  assert.deepEqual(found.map((run) => run.length), [2, 1]);
  assert.equal(found[1][0].x, toX(place, 3));
  assert.deepEqual(runs(tall, 1, [0, 0]), []);
});

test("keys move the cursor within its ends", () => {
  const ends = [-3, 20];
  assert.deepEqual(
    ["ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End", "a"].map((key) => stepOf(0, key, ends)),
    [-1, 1, 10, -3, -3, 20, null],
  );
});

test("the cursor goes to the nearest stop", () => {
  assert.deepEqual([0, 12, 13, 37, 99].map((x) => nearestStop([1, 25, 50], x)), [0, 0, 0, 1, 2]);
  assert.equal(nearestStop([1, 25, 50], 14), 1);
});

test("names of levels that are close together stand beside each other", () => {
  const places = levelPlaces([100, 20, 25], [50, 80, 60], 300);
  assert.deepEqual(places, [{ x: 300, y: 100 }, { x: 300, y: 20 }, { x: 208, y: 25 }]);
  assert.deepEqual(levelPlaces([20, 25, 30], [50, 50, 50], 300).map(({ x }) => x), [300, 238, 176]);
  assert.deepEqual(levelPlaces([20, 30, 40], [50, 50, 50], 300).map(({ x }) => x), [300, 238, 300]);
  assert.deepEqual(levelPlaces([], [], 300), []);
});
