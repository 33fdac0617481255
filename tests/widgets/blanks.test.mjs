import assert from "node:assert/strict";
import { test } from "node:test";
import { answerText, blanksAfter, shownToken } from "../../course/widgets/blanks.js";

test("a word becomes a blank, a blank is chosen first and given back then", () => {
  assert.deepEqual(blanksAfter([7], 3, 7), [3, 7]);
  assert.deepEqual(blanksAfter([3, 7], 3, 7), [3, 7]);
  assert.deepEqual(blanksAfter([3, 7], 3, 3), [7]);
  assert.deepEqual(blanksAfter([], 10, 1), [10]);
  assert.deepEqual(blanksAfter([10], 9, 1), [9, 10]);
});

test("what stays as it is is the same list", () => {
  const blanks = [3, 7];
  assert.equal(blanksAfter(blanks, 3, 7), blanks);
});

test("a blank hides its word", () => {
  assert.deepEqual([shownToken(" cat", false), shownToken(" cat", true)], ["␣cat", "[MASK]"]);
});

test("a blank says what stood there, and how each reader has it", () => {
  const both = { share: 0.5, rank: 1 };
  assert.equal(answerText(" cat", [both]), "“␣cat” stood here: from both sides it has probability 0.50, rank 1.");
  assert.match(answerText(" cat", [both, { share: 0.25, rank: 3 }]), /; from the left alone it has probability 0\.25, rank 3\.$/);
  assert.match(answerText(" cat", undefined), /is no blank/);
});
