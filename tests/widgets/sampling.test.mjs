import assert from "node:assert/strict";
import { test } from "node:test";
import { drawable, probability, tokenText, topKText, topPText } from "../../course/widgets/sampling.js";

test("a knob at its end is off", () => {
  assert.deepEqual([0, 1, 3].map(topKText), ["all", "1 token", "3 tokens"]);
  assert.deepEqual([1, 0.9, 0.05].map(topPText), ["all", "0.90", "0.05"]);
});

test("what is cut has no point on the curve, and what is tiny lies on its floor", () => {
  assert.deepEqual(drawable(Float32Array.from([0.5, 0, 0.25]), 1e-9), [0.5, NaN, 0.25]);
  assert.deepEqual(drawable([1e-12, NaN, -1], 1e-9), [1e-9, NaN, NaN]);
});

test("small probabilities stay readable", () => {
  assert.deepEqual([0, 0.25, 0.0031, 1e-7, NaN].map(probability), ["0", "0.25", "0.0031", "1.0e\u22127", "NaN"]);
});

test("a token says what it had and what it has", () => {
  const [title, line] = tokenText("cat", 2, 29, 1.5, 0.3, 0.375);
  assert.equal(title, "“cat”, rank 2 of 29");
  assert.equal(line, "score 1.50; by the model itself 0.30; drawn with 0.38");
  assert.match(tokenText("on", 4, 29, -1, 0.05, 0)[1], /cut: it cannot be drawn$/);
  assert.match(tokenText("on", 4, 29, -1, 0.05, 0, true)[1], /not cut, but so improbable that it is rounded to 0$/);
  assert.match(tokenText("on", 4, 29, -1, 0.05, 0.1, false)[1], /drawn with 0.10$/);
});
