// What is wrong with attention weights, in words. problems.py says the same in Python.
import { count, listed, number } from "./numbers.js";

const SUM_TOLERANCE = 1e-3;
export const READ_TOLERANCE = 1e-6;

// weights: {values, rows, cols}; mask: the same with 1 for "may look", or null.
export function weightProblems(weights, mask, rowNames, colNames) {
  const rows = rowFacts(weights, mask);
  return [
    ...nanRows(rows, rowNames),
    ...wrongSums(rows, rowNames),
    ...forbiddenReads(weights, mask, rowNames, colNames),
  ];
}

function rowFacts({ values, rows, cols }, mask) {
  return Array.from({ length: rows }, (_, row) => {
    const line = values.subarray(row * cols, (row + 1) * cols);
    const open = mask ? mask.values.subarray(row * cols, (row + 1) * cols).some((m) => m > 0) : true;
    return { sum: line.reduce((total, x) => total + x, 0), open, nan: line.some(Number.isNaN) };
  });
}

function nanRows(rows, names) {
  const bad = names.filter((_, row) => rows[row].nan);
  return bad.length ? [`${count(bad, "row is", "rows are")} NaN: ${listed(bad)}.`] : [];
}

function wrongSums(rows, names) {
  const bad = names
    .map((name, row) => ({ name, ...rows[row] }))
    .filter((row) => !row.nan && sumIsWrong(row))
    .map((row) => `${row.name} ${number(row.sum)}`);
  return bad.length ? [`${count(bad, "row does", "rows do")} not sum to 1: ${listed(bad)}.`] : [];
}

// A row that may look at nothing is right when it sums to zero.
function sumIsWrong({ sum, open }) {
  return Math.abs(sum - 1) > SUM_TOLERANCE && (open || Math.abs(sum) > SUM_TOLERANCE);
}

export function isForbidden(value, allowed) {
  return !allowed && Math.abs(value) > READ_TOLERANCE;
}

function forbiddenReads({ values, rows, cols }, mask, rowNames, colNames) {
  if (!mask) return [];
  const future = [];
  const other = [];
  values.forEach((value, i) => {
    const [row, col] = [Math.floor(i / cols), i % cols];
    if (!isForbidden(value, mask.values[i] > 0)) return;
    const place = rows === cols && col > row ? future : other;
    place.push(`${rowNames[row]} \u2192 ${colNames[col]} ${number(value)}`);
  });
  return [
    ...(future.length ? [`The future leaks through the mask: ${listed(future)}.`] : []),
    ...(other.length ? [`Masked keys are read: ${listed(other)}.`] : []),
  ];
}

// Whether a square mask hides some of the future from some queries (a key hidden from all is padding).
export function meansCausal({ values, cols }) {
  const open = Array.from({ length: cols }, (_, col) => values.some((m, i) => i % cols === col && m > 0));
  return values.some((m, i) => m === 0 && i % cols > Math.floor(i / cols) && open[i % cols]);
}

// Which queries a square mask lets look at later keys, "" when none.
export function looksAhead(mask, names) {
  const pairs = [];
  mask.values.forEach((open, i) => {
    const [row, col] = [Math.floor(i / mask.cols), i % mask.cols];
    if (open > 0 && col > row) pairs.push(`${names[row]} \u2192 ${names[col]}`);
  });
  if (!pairs.length) return "";
  const cells = count(pairs, "cell", "cells");
  const end = meansCausal(mask) ? "The future leaks." : "Right in an encoder; in a decoder, a leak.";
  return `The mask looks ahead in ${cells}: ${listed(pairs)}. ${end}`;
}
