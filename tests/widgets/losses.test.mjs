import assert from "node:assert/strict";
import { test } from "node:test";
import { costText, limitOf, meanOf, shownValues, unitText } from "../../course/widgets/losses.js";
import { headName, placeAfter, visible } from "../../course/widgets/tokens.js";

const losses = { values: Float32Array.from([1, 4, 2, 1.5, 3, 2]), rows: 2, cols: 3 };

test("what cannot be seen in a token is made visible", () => {
  assert.equal(visible(" a\n\t"), "␣a⏎⇥");
});

test("the text shows its losses, or what changes without a head", () => {
  assert.deepEqual(shownValues(losses, -1, "loss"), [1, 4, 2]);
  assert.deepEqual(shownValues(losses, 0, "loss"), [1, 4, 2]);
  assert.deepEqual(shownValues(losses, 0, "change"), [0.5, -1, 0]);
  assert.deepEqual(shownValues(losses, -1, "change"), [0, 0, 0]);
});

test("the scale has a unit", () => {
  assert.match(unitText("loss"), /^nats that each token cost$/);
  assert.match(unitText("change"), /orange tokens cost more/);
});

test("the scale ends at a whole number that nothing exceeds", () => {
  assert.deepEqual([[0.2, 0.3], [1.2, -2.5], [NaN, 3], [NaN]].map(limitOf), [1, 3, 3, 1]);
});

test("a place says what it cost, with and without a head", () => {
  assert.equal(headName("2.1"), "block 2, head 1");
  assert.equal(costText("cat", Math.LN2, 2, null), "“cat” cost 0.69 nats: probability 0.50, rank 2.");
  assert.match(costText("cat", 1, 2, { head: "2.1", loss: 3, rank: 9 }), /With block 2, head 1 silenced: 3.00 nats, rank 9\.$/);
  assert.match(costText("cat", NaN, 1, null), /gave no number/);
});

test("keys go from token to token, and never to the first", () => {
  assert.deepEqual(["ArrowLeft", "ArrowRight", "Home", "End", "a"].map((key) => placeAfter(2, key, 5)), [1, 3, 1, 5, null]);
  assert.deepEqual([placeAfter(1, "ArrowLeft", 5), placeAfter(5, "ArrowDown", 5)], [1, 5]);
});

test("a mean is a mean", () => assert.equal(meanOf([1, 2, 6]), 3));
