// The arithmetic of one cell, with its real numbers.
import { factor, number, short } from "./numbers.js";

const TERMS = 6;

// "2·0.5 + 0·1 + ... = 1"
export function sumOfProducts(a, b) {
  const terms = a.map((x, i) => `${factor(x)}·${factor(b[i])}`);
  return elided(terms, " + ");
}

function elided(terms, joint) {
  if (terms.length <= TERMS) return terms.join(joint);
  const hidden = terms.length - TERMS + 1;
  return [...terms.slice(0, TERMS - 2), `\u2026 ${hidden} more \u2026`, terms.at(-1)].join(joint);
}

export function dot(a, b) {
  return a.reduce((total, x, i) => total + x * b[i], 0);
}

export function dotText(q, k, query, key) {
  return `q[${query}]·k[${key}] = ${sumOfProducts(q, k)} = ${short(dot(q, k))}`;
}

export function scaledText(raw, size) {
  const root = Math.sqrt(size);
  const shown = Number.isInteger(root) ? `\u221a${size} = ${root}` : `\u221a${size} \u2248 ${short(root)}`;
  return `${short(raw)} / ${short(root)} = ${short(raw / root)}   (${shown})`;
}

// e^score over the sum of e^score of what may be read.
export function softmaxText(scores, allowed, at) {
  const open = scores.filter((_, i) => allowed[i]);
  if (!open.length) return "Nothing may be read: every weight of this row is 0.";
  if (!allowed[at]) return "masked: e^(\u2212\u221e) = 0, so the weight is 0";
  const below = elided(open.map((x) => `e^${factor(x)}`), " + ");
  const top = Math.max(...open);
  const share = Math.exp(scores[at] - top) / open.reduce((sum, x) => sum + Math.exp(x - top), 0);
  return `e^${factor(scores[at])} / (${below}) = ${short(share)}`;
}

export function mixText(weights, values) {
  return `${sumOfProducts(weights, values)} = ${short(dot(weights, values))}`;
}

export function mean(values) {
  return values.reduce((total, x) => total + x, 0) / values.length;
}

// Around the mean, or around zero for RMSNorm; divided by n, not n - 1.
export function spread(values, kind) {
  const centre = kind === "RMSNorm" ? 0 : mean(values);
  return { centre, variance: mean(values.map((x) => (x - centre) ** 2)) };
}

// The line of a normalization: ((x - mean) / sqrt(variance + eps)) · weight + bias.
export function normText(x, group, kind, eps, weight, bias) {
  const { centre, variance } = spread(group, kind);
  const out = ((x - centre) / Math.sqrt(variance + eps)) * weight;
  const top = kind === "RMSNorm" ? short(x) : `(${short(x)} \u2212 ${factor(centre)})`;
  const scale = weight === 1 ? "" : ` · ${factor(weight)}`;
  const shift = kind === "RMSNorm" || bias === 0 ? "" : ` + ${factor(bias)}`;
  const total = kind === "RMSNorm" ? out : out + bias;
  return `${top} / \u221a(${short(variance)} + ${short(eps)})${scale}${shift} = ${number(total)}`;
}

// Which cells share their statistics with a cell.
export function sameGroup(kind, cell, other) {
  return kind === "BatchNorm" ? cell.col === other.col : cell.row === other.row;
}

// Counts of values in equal bins from low to high.
export function histogram(values, low, high, bins) {
  const counts = new Array(bins).fill(0);
  const width = (high - low) / bins || 1;
  for (const x of values) {
    if (Number.isFinite(x)) counts[Math.min(bins - 1, Math.max(0, Math.floor((x - low) / width)))] += 1;
  }
  return counts;
}
