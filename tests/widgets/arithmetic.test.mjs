import assert from "node:assert/strict";
import { test } from "node:test";
import {
  dotText, histogram, mixText, normText, sameGroup, scaledText, softmaxText, spread, sumOfProducts,
} from "../../course/widgets/arithmetic.js";
import { at, columnOf, matrix, minus, rowOf, unpack } from "../../course/widgets/matrices.js";

test("a dot product is written out with its numbers", () => {
  assert.equal(dotText([2, 0, 1], [0.5, 1, -1], "cat", "the"), "q[cat]·k[the] = 2·0.5 + 0·1 + 1·(−1) = 0");
});

test("a long sum is shortened and says by how many terms", () => {
  const text = sumOfProducts(Array(64).fill(1), Array(64).fill(2));
  assert.equal(text, "1·2 + 1·2 + 1·2 + 1·2 + … 59 more … + 1·2");
});

test("dividing by the root shows the root", () => {
  assert.equal(scaledText(6, 4), "6 / 2 = 3   (√4 = 2)");
  assert.equal(scaledText(6, 8), "6 / 2.83 = 2.12   (√8 ≈ 2.83)");
});

test("the softmax takes only what may be read", () => {
  assert.equal(softmaxText([1, 1, 9], [true, true, false], 0), "e^1 / (e^1 + e^1) = 0.5");
  assert.match(softmaxText([1, 1, 9], [true, true, false], 2), /^masked/);
  assert.match(softmaxText([1, 1], [false, false], 0), /Nothing may be read/);
  assert.equal(softmaxText([1000, 1000], [true, true], 0), "e^1000 / (e^1000 + e^1000) = 0.5");
});

test("an output is a mix of values", () => {
  assert.equal(mixText([0.25, 0.75], [4, 0]), "0.25·4 + 0.75·0 = 1");
});

test("normalizing divides by n and takes no mean away in RMSNorm", () => {
  assert.deepEqual(spread([2, 0, 1, 5], "LayerNorm"), { centre: 2, variance: 3.5 });
  assert.deepEqual(spread([2, 0, 1, 5], "RMSNorm"), { centre: 0, variance: 7.5 });
  assert.equal(normText(5, [2, 0, 1, 5], "LayerNorm", 1e-5, 1, 0), "(5 − 2) / √(3.5 + 1e−5) = 1.60");
  assert.equal(normText(5, [2, 0, 1, 5], "LayerNorm", 0, 2, -1), "(5 − 2) / √(3.5 + 0) · 2 + (−1) = 2.21");
  assert.equal(normText(5, [2, 0, 1, 5], "RMSNorm", 0, 1, 3), "5 / √(7.5 + 0) = 1.83");
});

test("a token is a group for LayerNorm, a feature for BatchNorm", () => {
  const [cell, beside, below] = [{ row: 0, col: 0 }, { row: 0, col: 1 }, { row: 1, col: 0 }];
  assert.deepEqual([beside, below].map((x) => sameGroup("LayerNorm", cell, x)), [true, false]);
  assert.deepEqual([beside, below].map((x) => sameGroup("BatchNorm", cell, x)), [false, true]);
});

test("a histogram counts every finite number once", () => {
  assert.deepEqual(histogram([0, 1, 9.9, 10, NaN], 0, 10, 5), [2, 0, 0, 0, 2]);
});

test("bytes at an odd offset become the numbers that were packed", () => {
  const bytes = new Uint8Array(1 + 6 * 4);
  bytes.set(new Uint8Array(Float32Array.from([1, 2, 3, 4, 5, 6]).buffer), 1);
  const whole = unpack({ shape: [2, 1, 3], data: new DataView(bytes.buffer, 1) });
  assert.deepEqual(rowOf(matrix(whole, 1), 0), [4, 5, 6]);
  assert.deepEqual(columnOf(matrix(unpack({ shape: [2, 3], data: new DataView(bytes.buffer, 1) })), 1), [2, 5]);
  assert.equal(matrix(null), null);
});

test("a difference within rounding is zero, any other is kept", () => {
  const m = (...values) => ({ values: Float32Array.from(values), rows: 1, cols: 2 });
  const gap = minus(m(1.0000001, 2), m(1, 1.5));
  assert.equal(at(gap, 0, 0), 0);
  assert.equal(at(gap, 0, 1), 0.5);
});
