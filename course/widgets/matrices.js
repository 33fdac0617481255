// Matrices as the widgets hold them: {values: Float32Array, rows, cols}.

// What Python packed, {shape, data}. The bytes are copied: they may start at an odd offset, which Float32Array refuses.
export function unpack(entry) {
  if (!entry) return null;
  const { buffer, byteOffset, byteLength } = entry.data;
  return {
    shape: entry.shape,
    values: new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength)),
  };
}

// One head of (heads, rows, cols), or the whole of (rows, cols).
export function matrix(unpacked, head = 0) {
  if (!unpacked) return null;
  const [rows, cols] = unpacked.shape.slice(-2);
  const size = rows * cols;
  const start = unpacked.shape.length === 3 ? head * size : 0;
  return { values: unpacked.values.subarray(start, start + size), rows, cols };
}

export function rowOf({ values, cols }, row) {
  return Array.from(values.subarray(row * cols, (row + 1) * cols));
}

export function columnOf({ values, rows, cols }, col) {
  return Array.from({ length: rows }, (_, row) => values[row * cols + col]);
}

export function at(m, row, col) {
  return m.values[row * m.cols + col];
}

// Mine minus theirs; what differs only by float32 rounding counts as equal.
export function minus(mine, theirs) {
  const values = mine.values.map((x, i) => {
    const other = theirs.values[i];
    return Math.abs(x - other) <= 1e-5 + 1e-4 * Math.abs(other) ? 0 : x - other;
  });
  return { ...mine, values };
}
