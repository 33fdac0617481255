import assert from "node:assert/strict";
import { test } from "node:test";
import { foundText, scaleEnd } from "../../course/widgets/finder.js";

test("a language says what was found, and which character counts most", () => {
  const found = { name: "peru", score: 0.875 };
  assert.equal(foundText("en", found, ["p", " "], [0.125, 0.5]), "en: “peru”, 0.88; without “␣” at place 1 the score falls most, by 0.50.");
  assert.equal(foundText("en", undefined, [], []), "Nothing is asked.");
});

test("the scale ends at the largest loss or gain, and is never empty", () => {
  assert.equal(scaleEnd([0.25, -0.5]), 0.5);
  assert.equal(scaleEnd([0, 0]), 0.01);
  assert.equal(scaleEnd([Number.NaN, 0.25]), 0.25);
});
