import assert from "node:assert/strict";
import { test } from "node:test";
import { dialledAfter, padAfter, powerText, sparse, weightText } from "../../course/widgets/tone_pad.js";

const KEYPAD = [..."123A456B789C*0#D"];

test("keys of the keyboard dial, in either case, up to the longest", () => {
  assert.equal(dialledAfter("25", "8", KEYPAD, 12), "258");
  assert.equal(dialledAfter("25", "a", KEYPAD, 12), "25A");
  assert.equal(dialledAfter("25", "#", KEYPAD, 2), "25");
});

test("Backspace deletes the last, and what is no key means nothing", () => {
  assert.equal(dialledAfter("258", "Backspace", KEYPAD, 12), "25");
  assert.equal(dialledAfter("", "Delete", KEYPAD, 12), "");
  assert.deepEqual(["x", "Tab", "Enter", " "].map((key) => dialledAfter("2", key, KEYPAD, 12)), [null, null, null, null]);
});

test("arrows go from key to key and stay on the pad", () => {
  assert.deepEqual([padAfter(0, "ArrowRight", 16), padAfter(0, "ArrowDown", 16), padAfter(5, "ArrowUp", 16)], [1, 4, 1]);
  assert.deepEqual([padAfter(0, "ArrowLeft", 16), padAfter(15, "ArrowDown", 16), padAfter(3, "5", 16)], [0, 15, null]);
});

test("names that are too many are thinned out", () => {
  assert.deepEqual(sparse(["a", "b", "c", "d", "e"], 2), ["a", "", "c", "", "e"]);
});

test("a cell is said with its units", () => {
  assert.match(powerText("1344", "0.05", 2.5), /^1344 Hz at 0.05 s: 2.50/);
  assert.match(weightText("5", "0.12", 0.75), /^For “5” it read the vector at 0.12 s with 0.75/);
});
