import assert from "node:assert/strict";
import { test } from "node:test";
import { between, hitTest, layout, moved } from "../../course/widgets/layout.js";

const column = { width: 656, height: 420 };

test("twelve tokens fit into a notebook column", () => {
  const place = layout({ ...column, rows: 12, cols: 12, rowLabel: 60, colLabel: 60 });
  assert.ok(place.width <= column.width);
  assert.ok(place.cell >= 26, `cells of ${place.cell} pixels show no numbers`);
});

test("few tokens do not grow beyond a calm size, and long labels turn", () => {
  assert.equal(layout({ ...column, rows: 3, cols: 3, rowLabel: 30, colLabel: 30 }).cell, 56);
  assert.equal(layout({ ...column, rows: 3, cols: 3, rowLabel: 30, colLabel: 30 }).turned, false);
  assert.equal(layout({ ...column, rows: 12, cols: 12, rowLabel: 60, colLabel: 60 }).turned, true);
});

test("cells that stretch fill their place in both directions", () => {
  const place = layout({ width: 270, height: 420, rows: 64, cols: 32, rowLabel: 16, colLabel: 16, stretch: true });
  assert.deepEqual([place.wide, place.cell, place.turned], [6, 6, false]);
  assert.ok(place.width <= 270);
  const x = place.left + 31.5 * place.wide;
  assert.deepEqual(hitTest(place, x, place.top + 63.5 * place.cell), { row: 63, col: 31 });
  const square = layout({ ...column, rows: 4, cols: 7, rowLabel: 40, colLabel: 30 });
  assert.equal(square.wide, square.cell);
});

test("where cells stretch, the last column's name is not cut off", () => {
  const place = layout({ width: 310, height: 130, rows: 6, cols: 21, rowLabel: 24, colLabel: 30, stretch: true });
  assert.ok(place.width <= 310);
  assert.ok(place.left + 20.5 * place.wide + 15 <= place.width);
});

test("every cell is hit at its middle and nothing outside", () => {
  const place = layout({ ...column, rows: 4, cols: 7, rowLabel: 40, colLabel: 30 });
  for (let row = 0; row < 4; row += 1) {
    for (let col = 0; col < 7; col += 1) {
      const x = place.left + (col + 0.5) * place.cell;
      assert.deepEqual(hitTest(place, x, place.top + (row + 0.5) * place.cell), { row, col });
    }
  }
  assert.equal(hitTest(place, place.left - 1, place.top + 5), null);
  assert.equal(hitTest(place, place.left + 7 * place.cell, place.top + 5), null);
});

test("keys move the cursor and stop at the border", () => {
  const at = { row: 1, col: 2 };
  assert.deepEqual(moved(at, "ArrowUp", false, 3, 4), { row: 0, col: 2 });
  assert.deepEqual(moved({ row: 0, col: 3 }, "ArrowRight", false, 3, 4), { row: 0, col: 3 });
  assert.deepEqual(moved(at, "Home", false, 3, 4), { row: 1, col: 0 });
  assert.deepEqual(moved(at, "End", true, 3, 4), { row: 2, col: 3 });
  assert.equal(moved(at, "x", false, 3, 4), null);
});

test("a fast drag leaves no cell out", () => {
  assert.deepEqual(between({ row: 0, col: 0 }, { row: 0, col: 3 }).map((cell) => cell.col), [0, 1, 2, 3]);
  assert.deepEqual(between({ row: 2, col: 2 }, { row: 2, col: 2 }), [{ row: 2, col: 2 }, { row: 2, col: 2 }]);
});
