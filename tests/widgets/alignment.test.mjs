import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenWeights, lineOf, rows, slots } from "../../course/widgets/alignment.js";
import { apart } from "../../course/widgets/positions.js";
import { sizeOf } from "../../course/widgets/residuals.js";

const weights = { shape: [2, 2, 1, 2], values: Float32Array.from([1, 0, 0.5, 0.5, 0, 1, 0.25, 0.75]) };

test("a head of a layer, or the mean of its heads", () => {
  assert.deepEqual(Array.from(chosenWeights(weights, 0, 1).values), [0.5, 0.5]);
  assert.deepEqual(Array.from(chosenWeights(weights, 1, 0).values), [0, 1]);
  assert.deepEqual(Array.from(chosenWeights(weights, 1, -1).values), [0.125, 0.875]);
  assert.deepEqual(chosenWeights(weights, 1, -1).rows, 1);
});

test("a line is as thick as its weight, on one scale for all", () => {
  const [quarter, half, whole] = [0.25, 0.5, 1].map((weight) => lineOf(weight).width);
  assert.equal(half, 2 * quarter);
  assert.equal(whole, 4 * quarter);
  assert.equal(lineOf(1).alpha, 1);
  assert.deepEqual([0, 0.004, 0.005, NaN].map((weight) => lineOf(weight).drawn), [false, false, true, false]);
});

test("tokens stand in the middle, at equal distances, within the width", () => {
  assert.deepEqual(slots(2, 100), [25, 75]);
  assert.deepEqual(slots(2, 400), [154, 246]);
  const many = slots(32, 686);
  assert.ok(many[0] > 0 && many.at(-1) < 686);
});

test("turned words get room", () => {
  const [plain, turned] = [rows(false, false), rows(true, true)];
  assert.ok(turned.height > plain.height + 60);
  for (const place of [plain, turned]) assert.ok(place.source < place.weights && place.weights < place.from && place.to < place.target);
});

test("distances and vanished numbers in words", () => {
  assert.deepEqual([0, 1, -5].map(apart), ["itself", "1 further on", "5 further back"]);
  assert.equal(sizeOf(0), "0 (too small for float32)");
  assert.equal(sizeOf(1.5), "1.50");
});
