import assert from "node:assert/strict";
import { test } from "node:test";
import { dotted, patchOf, pixelAt, ranked, tint, tokenName } from "../../course/widgets/pictures.js";

test("a point lies in a pixel, or beside the paper", () => {
  assert.deepEqual(pixelAt(35, 5, 10, 4, 6), { row: 0, col: 3 });
  assert.equal(pixelAt(60, 5, 10, 4, 6), null);
  assert.equal(pixelAt(5, -1, 10, 4, 6), null);
});

test("a dot is ink with grey around it, and never takes ink away", () => {
  const paper = [0, 0.9, 0, 0, 0, 0, 0, 0, 0];
  assert.deepEqual(dotted(paper, { row: 1, col: 1 }, [3, 3], false), [0, 0.9, 0, 0.4, 1, 0.4, 0, 0.4, 0]);
  assert.deepEqual(dotted(paper, { row: 0, col: 0 }, [3, 3], false), [1, 0.9, 0, 0.4, 0, 0, 0, 0, 0]);
  assert.deepEqual(paper, [0, 0.9, 0, 0, 0, 0, 0, 0, 0]);
});

test("the rubber takes one pixel away", () => {
  assert.deepEqual(dotted([1, 1, 1, 1], { row: 1, col: 0 }, [2, 2], true), [1, 1, 0, 1]);
});

test("patches are counted row by row from 1, behind the class token", () => {
  assert.equal(patchOf({ row: 0, col: 0 }, 2, 6), 1);
  assert.equal(patchOf({ row: 1, col: 5 }, 2, 6), 3);
  assert.equal(patchOf({ row: 2, col: 0 }, 2, 6), 4);
  assert.equal(tokenName(0), "the class token");
  assert.equal(tokenName(4), "patch 4");
});

test("the largest shares come first, ties by name", () => {
  assert.deepEqual(ranked([0.2, 0.5, 0.2]).map(({ name }) => name), [1, 0, 2]);
});

test("an even share is tinted faintly, four times that as strongly as can be", () => {
  assert.equal(tint(1 / 16, 16), 0.65 / 4);
  assert.equal(tint(0.25, 16), 0.65);
  assert.equal(tint(1, 16), 0.65);
  assert.equal(tint(0, 16), 0);
  assert.equal(tint(NaN, 16), 0);
});
