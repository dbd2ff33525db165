import type { OutputType } from '../../../src/image/formats/facts.ts';
import type { Result } from '../../../src/image/pipeline/result.ts';
import { scaleOf } from '../../../src/image/pipeline/target/scale.ts';
import type { Table } from '../../harness/section.ts';
import { figure, least, mean, median, most, quantile } from '../../measures/figures.ts';

/** The outcome of a limit: a result, or the length of the shortest possible one. */
export interface Limited {
  readonly name: string;
  readonly format: OutputType;
  /** Lengths here and below are in bytes. */
  readonly limit: number;
  /** Null if there is no result. */
  readonly bytes: number | null;
  readonly quality: Result['quality'] | null;
  /** `Image-Score`; null if it was not measured. */
  readonly score: number | null;
  /** SSIMULACRA2 of the whole result; null if the result is exact. */
  readonly whole: number | null;
  /** The shortest length according to the refusal; null if it was not refused for its length. */
  readonly smallest: number | null;
  /** Length at `target=30`, measured if the limit cannot be reached. */
  readonly least: number | null;
}

/** The fraction of the limit that a result should use. */
function expectedUse(format: OutputType): number {
  return format === 'avif' ? 0.88 : 0.93;
}

/** The score aimed at if only bytes are limited; a result close to it need not use more of the limit. */
const cap = 95;
const nearCap = 1;

/** The fraction of the limit that a result uses. */
function usedOf({ bytes, limit }: Limited): number {
  return (bytes ?? 0) / limit;
}

/** Whether the result is on the lossy scale, and more bytes could have been used. */
export function isSpanned({ format, quality, score }: Limited): boolean {
  const scale = scaleOf(format);
  if (typeof quality !== 'number' || !scale) return false;
  return quality < scale.highest && (score ?? 0) < cap - nearCap;
}

function isExceeded({ bytes, limit }: Limited): boolean {
  return bytes !== null && bytes > limit;
}

export function limitedTable(runs: readonly Limited[]): Table {
  return {
    caption: 'Limits, and what is used of them',
    columns: [
      ...['', 'limits', 'exceeded', 'unreachable', 'other refusals', 'spanned'],
      ...['used, median', '5th percentile', 'least', 'below 0.93 (AVIF 0.88)'],
    ],
    rows: grouped(runs).map(([name, group]) => {
      const spanned = group.filter(isSpanned);
      const used = spanned.map(usedOf);
      const few = spanned.filter((run) => usedOf(run) < expectedUse(run.format));
      return [
        ...[name, String(group.length), String(group.filter(isExceeded).length)],
        String(group.filter(({ smallest }) => smallest !== null).length),
        String(group.filter(({ bytes, smallest }) => bytes === null && smallest === null).length),
        String(spanned.length),
        ...[median(used), quantile(used, 0.05), least(used)].map((value) => figure(value, 3)),
        String(few.length),
      ];
    }),
  };
}

/** Results with lower scores are refused, as far as scores are known without coding the whole picture. */
const lowest = 30;
const near = 2;

function isTooLow({ whole }: Limited): boolean {
  return whole !== null && whole < lowest - near;
}

/** Scores of results within limits, compared with `Image-Score`. */
export function scoresTable(runs: readonly Limited[]): Table {
  return {
    caption: 'Scores of whole results within limits, those of lossy scales',
    columns: [
      ...['', 'results', 'score, least', 'mean', 'below 28'],
      ...['Image-Score off, mean', 'most below', 'most above', 'more than 2 off'],
    ],
    rows: grouped(runs).map(([name, group]) => {
      const lossy = group.filter(({ whole }) => whole !== null);
      const wholes = lossy.map(({ whole }) => whole ?? undefined);
      const offs = lossy.flatMap(({ whole, score }) =>
        whole === null || score === null ? [] : [score - whole],
      );
      return [
        ...[name, String(lossy.length), figure(least(wholes), 1), figure(mean(wholes), 1)],
        String(lossy.filter(isTooLow).length),
        ...[mean(offs.map(Math.abs)), least(offs), most(offs)].map((value) => figure(value, 2)),
        String(offs.filter((off) => Math.abs(off) > near).length),
      ];
    }),
  };
}

export function unreachableTable(runs: readonly Limited[]): Table {
  const unreachable = runs.filter(({ smallest }) => smallest !== null);
  return {
    caption: 'Unreachable limits: the length that the refusal tells, against that of target=30',
    columns: [
      '',
      'unreachable',
      'equal',
      'ratio, least',
      'median',
      'most',
      'limit reached by target=30',
    ],
    rows: grouped(unreachable).map(([name, group]) => {
      const ratios = group.flatMap(({ smallest, least: other }) =>
        smallest !== null && other ? [smallest / other] : [],
      );
      return [
        ...[name, String(group.length), String(ratios.filter((ratio) => ratio === 1).length)],
        ...[least(ratios), median(ratios), most(ratios)].map((value) => figure(value, 3)),
        String(group.filter(isReachable).length),
      ];
    }),
  };
}

/** Whether the request was refused although a result at the lowest target fits. */
function isReachable({ smallest, least: other, limit }: Limited): boolean {
  return smallest !== null && other !== null && other <= limit;
}

/** The limits of which too little is used. */
export function littleUsedTable(runs: readonly Limited[]): Table {
  const few = runs.filter((run) => isSpanned(run) && usedOf(run) < expectedUse(run.format));
  return {
    caption: 'Limits of which less is used',
    columns: ['', 'limit', 'bytes', 'used', 'quality', 'Image-Score', 'score'],
    rows: few.map((run) => [
      ...[`${run.name} → ${run.format}`, String(run.limit), String(run.bytes)],
      ...[figure(usedOf(run), 3), String(run.quality)],
      ...[figure(run.score ?? undefined, 1), figure(run.whole ?? undefined, 1)],
    ]),
  };
}

/** Failed expectations, one sentence each. */
export function failuresOf(runs: readonly Limited[]): string[] {
  return [
    ...runs.filter(isExceeded).map((run) => `${sentenceOf(run)}: ${run.bytes} bytes`),
    ...runs
      .filter(isReachable)
      .map((run) => `${sentenceOf(run)}: refused, though target=30 takes ${run.least} bytes`),
    ...runs
      .filter(isTooLow)
      .map((run) => `${sentenceOf(run)}: answered with a score of ${figure(run.whole ?? 0, 1)}`),
  ];
}

function sentenceOf({ name, format, limit }: Limited): string {
  return `${name} → ${format}, max_bytes=${limit}`;
}

function grouped(runs: readonly Limited[]): [string, readonly Limited[]][] {
  const byFormat = [...Map.groupBy(runs, ({ format }) => format)].sort();
  return [...byFormat, ['all', runs]];
}
