import assert from "node:assert/strict";
import { test } from "node:test";
import { named, patterns } from "../../course/widgets/heatmap.js";

const WIDE = 56;
const NARROW = 9;
const row = (...values) => ({ values: Float32Array.from(values), rows: 1, cols: values.length });

test("a zero that is written as 0 needs no entry in the legend, one that is a dot does", () => {
  const spec = { values: row(0, 2), mask: null, kind: "signed" };
  assert.equal(patterns(spec, WIDE).zero, false);
  assert.equal(patterns(spec, NARROW).zero, true);
  assert.equal(patterns({ ...spec, values: row(1, 2) }, NARROW).zero, false);
});

test("a masked zero is hatched, not dotted", () => {
  const shown = patterns({ values: row(0, 1), mask: row(0, 1), kind: "weights" }, NARROW);
  assert.deepEqual(shown, { masked: true, nan: false, zero: false });
});

test("a mask that hides nothing is not in the legend", () => {
  assert.equal(patterns({ values: row(0.5, 0.5), mask: row(1, 1), kind: "weights" }, WIDE).masked, false);
});

test("where every masked weight leaks, no cell has the quiet pattern of a masked one", () => {
  const leak = { values: row(0.4, 0.6), mask: row(0, 1), kind: "weights" };
  assert.equal(patterns(leak, WIDE).masked, false);
  assert.equal(patterns({ ...leak, kind: "signed" }, WIDE).masked, true);
});

test("a NaN has a pattern of its own, masked or not", () => {
  const shown = patterns({ values: row(NaN, 1), mask: row(0, 1), kind: "weights" }, WIDE);
  assert.deepEqual(shown, { masked: false, nan: true, zero: false });
});

test("cells too small for a dot have no entry for one", () => {
  assert.equal(patterns({ values: row(0, 2), mask: null, kind: "signed" }, 4).zero, false);
});

test("names give way: every second, fourth, ... and always the one at the cursor", () => {
  assert.deepEqual(named(5, 0.5), [0, 1, 2, 3, 4]);
  assert.deepEqual(named(9, 3), [0, 4, 8]);
  assert.deepEqual(named(9, 3, 5), [0, 5]);
  assert.deepEqual(named(9, 3, 4), [0, 4, 8]);
});
