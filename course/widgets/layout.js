// Where things stand in a heatmap, which cell is under a point, where a key takes the cursor.

const LARGEST_CELL = 56;
const SMALLEST_CELL = 7;
const SMALLEST_STRETCHED = 2;

// width and height are what there is, in pixels; the label sizes are measured by the caller. Cells are square, unless
// they are to stretch: a table of many numbers fills its place.
export function layout({ width, height, rows, cols, rowLabel = 0, colLabel = 0, axes = true, gutter = 0, stretch = false }) {
  // Without row labels a turned column label still needs room on the left.
  const left = (axes && rowLabel ? 20 : 0) + (rowLabel ? rowLabel + 8 : Math.min(16, colLabel / 3));
  // The name of the last column stands straight there, and may be wider than its column.
  const right = stretch ? Math.max(4, colLabel / 2) : 4;
  const room = [(width - left - gutter - right) / cols, height / rows].map(Math.floor);
  const square = clamp(Math.min(...room), SMALLEST_CELL, LARGEST_CELL);
  const [wide, cell] = stretch ? room.map((x) => clamp(x, SMALLEST_STRETCHED, LARGEST_CELL)) : [square, square];
  const turned = !stretch && colLabel > cell - 4;
  const foot = (turned ? Math.min(colLabel, 90) * 0.75 + 14 : 20) + (axes ? 20 : 0);
  return {
    left, top: 4, cell, wide, rows, cols, turned, gutter,
    width: left + cols * wide + gutter + right,
    height: 4 + rows * cell + foot,
  };
}

export function clamp(x, low, high) {
  return Math.min(high, Math.max(low, x));
}

export function hitTest(place, x, y) {
  const col = Math.floor((x - place.left) / place.wide);
  const row = Math.floor((y - place.top) / place.cell);
  const inside = row >= 0 && row < place.rows && col >= 0 && col < place.cols;
  return inside ? { row, col } : null;
}

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// The cell after a key, or null when the key does not move the cursor.
export function moved({ row, col }, key, ctrl, rows, cols) {
  if (key === "Home") return { row: ctrl ? 0 : row, col: 0 };
  if (key === "End") return { row: ctrl ? rows - 1 : row, col: cols - 1 };
  const step = MOVES[key];
  if (!step) return null;
  return { row: clamp(row + step[0], 0, rows - 1), col: clamp(col + step[1], 0, cols - 1) };
}

// Every cell on the straight way between two cells: a fast drag skips none.
export function between(from, to) {
  const steps = Math.max(Math.abs(to.row - from.row), Math.abs(to.col - from.col), 1);
  return Array.from({ length: steps + 1 }, (_, i) => ({
    row: Math.round(from.row + (i / steps) * (to.row - from.row)),
    col: Math.round(from.col + (i / steps) * (to.col - from.col)),
  }));
}
