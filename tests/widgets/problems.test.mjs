import assert from "node:assert/strict";
import { test } from "node:test";
import { looksAhead, meansCausal, weightProblems } from "../../course/widgets/problems.js";

const names = ["the", "cat", "sat"];
const square = (...values) => ({ values: Float32Array.from(values), rows: 3, cols: 3 });
const causal = square(1, 0, 0, 1, 1, 0, 1, 1, 1);
const right = square(1, 0, 0, 0.5, 0.5, 0, 0.2, 0.3, 0.5);

test("right weights have no problems, with and without a mask", () => {
  assert.deepEqual(weightProblems(right, causal, names, names), []);
  assert.deepEqual(weightProblems(right, null, names, names), []);
});

test("a row that does not sum to one is named with its sum", () => {
  const weights = square(1, 0, 0, 0.5, 0.12, 0, 0.2, 0.3, 0.5);
  assert.deepEqual(weightProblems(weights, causal, names, names), ["1 row does not sum to 1: cat 0.62."]);
});

test("a fully masked row may be zero, but not without a reason", () => {
  const weights = square(0, 0, 0, 0.5, 0.5, 0, 0.2, 0.3, 0.5);
  const closed = square(0, 0, 0, 1, 1, 0, 1, 1, 1);
  assert.deepEqual(weightProblems(weights, closed, names, names), []);
  assert.deepEqual(weightProblems(weights, causal, names, names), ["1 row does not sum to 1: the 0."]);
});

test("a weight on a later masked key is a leak, on an earlier one a masked read", () => {
  const weights = square(0.9, 0.1, 0, 0.5, 0.5, 0, 0.2, 0.3, 0.5);
  assert.deepEqual(weightProblems(weights, causal, names, names), ["The future leaks through the mask: the → cat 0.10."]);
  const noThe = square(1, 0, 0, 0, 1, 0, 1, 1, 1);
  assert.deepEqual(weightProblems(right, noThe, names, names), ["Masked keys are read: cat → the 0.50."]);
});

test("a row with NaN is named, and not counted as a wrong sum", () => {
  const weights = square(1, 0, 0, NaN, 0.5, 0, 0.2, 0.3, 0.5);
  assert.deepEqual(weightProblems(weights, causal, names, names), ["1 row is NaN: cat."]);
});

test("looking ahead is a leak when the mask means to be causal, and a note when not", () => {
  const offByOne = square(1, 1, 0, 1, 1, 1, 1, 1, 1);
  const open = square(1, 1, 1, 1, 1, 1, 1, 1, 1);
  const padding = square(1, 1, 0, 1, 1, 0, 1, 1, 0);
  assert.equal(looksAhead(causal, names), "");
  assert.match(looksAhead(offByOne, names), /2 cells: the → cat, cat → sat\. The future leaks\.$/);
  assert.match(looksAhead(open, names), /Right in an encoder/);
  assert.deepEqual([causal, offByOne, open, padding].map(meansCausal), [true, true, false, false]);
});
