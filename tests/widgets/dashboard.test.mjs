import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, lossAxis, weightsAt } from "../../course/widgets/dashboard.js";

const values = Float32Array.from({ length: 2 * 2 * 2 * 1 * 3 }, (_, i) => i);
const weights = { shape: [2, 2, 2, 1, 3], values };

test("the weights are those of one checkpoint, layer and head", () => {
  assert.deepEqual([...weightsAt(weights, 0, 0, 0).values], [0, 1, 2]);
  assert.deepEqual([...weightsAt(weights, 1, 0, 1).values], [15, 16, 17]);
  const { rows, cols } = weightsAt(weights, 1, 1, 1);
  assert.deepEqual([rows, cols], [1, 3]);
});

test("the mean of heads is the mean", () => {
  assert.deepEqual([...weightsAt(weights, 1, 1, -1).values], [19.5, 20.5, 21.5]);
});

test("the loss axis is hardly longer than its numbers, and has marks", () => {
  assert.deepEqual(lossAxis([[0.25, 3.5], [0.0625]]), { y: [0.05, 4.375], marks: [0.1, 0.3, 1, 3] });
  assert.deepEqual(lossAxis([[1e-6, 10]]).marks, [1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10]);
  assert.deepEqual(lossAxis([[NaN, 0]]), { y: [0.1, 10], marks: [0.1, 1, 10] });
});

test("one step is no plural", () => {
  assert.deepEqual([1, 2].map(counted), ["1 step", "2 steps"]);
});
