import type { OutputType } from '../../src/image/formats/facts.ts';
import type { Table } from '../harness/section.ts';
import { figure, mean, ratio } from '../measures/figures.ts';
import type { Scored } from './searched.ts';

/** Fixed qualities that were the defaults before searches by score, and reach about the same score. */
export const fixedFigures: Readonly<Partial<Record<OutputType, number>>> = {
  jpeg: 77,
  webp: 86,
  avif: 72,
};

/** Sum of bytes and mean score of many pictures in one format with one goal. */
export interface Sum {
  readonly bytes: number;
  /** Mean of SSIMULACRA2. */
  readonly score: number;
}

/** A format at a fixed quality, compared with targets. */
export interface AgainstFixed {
  readonly format: OutputType;
  readonly figure: number;
  readonly pictures: number;
  readonly fixed: Sum;
  /** Results of `auto`. */
  readonly auto: Sum;
  /** The integer target closest to the mean score at the fixed quality. */
  readonly target: number;
  readonly atTarget: Sum;
  /** Bytes at the mean score of the fixed quality, interpolated between the targets. */
  readonly bytesAtSameScore: number;
}

export function sumOf(results: readonly Scored[]): Sum {
  return {
    bytes: results.reduce((sum, { bytes }) => sum + bytes, 0),
    score: mean(results.map(({ score }) => score)) ?? Number.NaN,
  };
}

/**
 * Bytes at a mean score, interpolated between the two adjacent sums by the logarithm of bytes; outside their range,
 * extrapolated from the two closest ones.
 */
export function bytesAt(score: number, sums: readonly Sum[]): number {
  const sorted = [...sums]
    .sort((a, b) => a.score - b.score)
    .filter((sum, i, all) => i === 0 || sum.score - (all[i - 1]?.score ?? 0) > minStep);
  const next = sorted.findIndex((sum) => sum.score >= score);
  const at = next < 0 ? sorted.length - 1 : Math.max(1, next);
  const [low, high] = [sorted[at - 1], sorted[at]];
  if (!low || !high) return Number.NaN;
  const share = (score - low.score) / (high.score - low.score);
  return low.bytes * (high.bytes / low.bytes) ** share;
}

/** Minimum difference of scores, in points: sums closer to each other do not determine a slope. */
const minStep = 0.01;

export function fixedTable(rows: readonly AgainstFixed[]): Table {
  return {
    caption: 'Bytes in sum and mean scores: auto, and targets, against fixed figures',
    columns: [
      ...['', 'pictures', 'bytes', 'score', 'auto, bytes', 'auto, score'],
      ...['target', 'its bytes', 'its score', 'bytes at the same score', 'ratio'],
    ],
    rows: rows.map((row) => [
      `${row.format}, quality=${row.figure}`,
      String(row.pictures),
      ...cells(row.fixed),
      ...cells(row.auto),
      String(row.target),
      ...cells(row.atTarget),
      figure(row.bytesAtSameScore),
      figure(ratio(row.bytesAtSameScore, row.fixed.bytes), 3),
    ]),
  };
}

function cells({ bytes, score }: Sum): string[] {
  return [String(bytes), figure(score, 2)];
}

/** Failed expectations, one sentence each. */
export function failuresOfFixed(rows: readonly AgainstFixed[]): string[] {
  return rows
    .filter(({ bytesAtSameScore, fixed }) => bytesAtSameScore > fixed.bytes)
    .map(({ format, figure: quality, bytesAtSameScore, fixed }) => {
      const by = figure(100 * (bytesAtSameScore / fixed.bytes - 1), 1);
      return `${format}: ${by} % more bytes than quality=${quality} at the same mean score`;
    });
}
