import { createHash } from 'node:crypto';
import type { Raster } from '../../src/image/pixels/raster.ts';
import type { CorpusFile, Plot, Series, Table } from '../harness/section.ts';
import { decoded } from '../likeness/likeness.ts';
import { Scorers } from '../likeness/scorers.ts';
import { runsFor, timed } from './cpu-time.ts';
import {
  eachPicture,
  figure,
  geometricMean,
  type Measured,
  median,
  most,
  ratio,
  ratioOfSums,
} from './figures.ts';

/** A coder from pictures to files. */
export interface Coder<Input> {
  readonly name: string;
  /** Qualities on the coder's own scale, chosen so that the scores of all coders cover the same range. */
  readonly qualities: readonly number[];
  /** Number of timed runs per coding; by default, `runsFor` the picture. */
  readonly runs?: number;
  code(input: Input, quality: number): Uint8Array | Promise<Uint8Array>;
}

/** A picture to code. */
export interface Subject<Input> {
  readonly input: Input;
  /** The pixels that it shows. */
  readonly raster: Raster;
  /** Converts a decoded file to what it shows; by default, its samples. */
  readonly shown?: (decoded: Raster) => Raster;
}

/** The results of one picture, by coder. */
export interface RateCurves {
  readonly name: string;
  readonly pixels: number;
  readonly points: ReadonlyMap<string, readonly Point[]>;
}

/**
 * Codes every picture with every coder at all of its qualities; a picture is scored after all its codings have been
 * timed.
 */
export async function rateCurves<Input>(
  coders: readonly Coder<Input>[],
  files: readonly CorpusFile[],
  subjectOf: (file: CorpusFile) => Promise<Subject<Input>>,
  say: (line: string) => void,
): Promise<Measured<RateCurves>> {
  await using scorers = await Scorers.start();
  let isWarm = false;
  const curvesOf = async (file: CorpusFile): Promise<RateCurves> => {
    const subject = await subjectOf(file);
    const { input, raster } = subject;
    if (!isWarm) await warmUp(coders, input);
    isWarm = true;
    const codings = await codedByAll(coders, input, raster);
    const scoreOf = memoizedScorer(scorers, subject);
    const points = new Map<string, readonly Point[]>();
    for (const [coder, codedFiles] of codings) points.set(coder, await scored(codedFiles, scoreOf));
    return { name: file.name, pixels: raster.width * raster.height, points };
  };
  // Awaited here, because the threads end with this function.
  return await eachPicture(files, curvesOf, say);
}

function scored(codings: readonly Coding[], scoreOf: (file: Uint8Array) => Promise<number>) {
  const points = codings.map(async ({ file, time }) => {
    return { score: await scoreOf(file), bytes: file.length, time };
  });
  return Promise.all(points);
}

interface Coding {
  readonly file: Uint8Array;
  readonly time: number;
}

async function codedByAll<Input>(
  coders: readonly Coder<Input>[],
  input: Input,
  raster: Raster,
): Promise<Map<string, Coding[]>> {
  const all = new Map<string, Coding[]>();
  for (const coder of coders) {
    const codings: Coding[] = [];
    for (const quality of coder.qualities) {
      const run = () => coder.code(input, quality);
      const { result, milliseconds } = await timed(run, coder.runs ?? runsFor(raster));
      codings.push({ file: result, time: milliseconds });
    }
    all.set(coder.name, codings);
  }
  return all;
}

/** Runs every coder once, so that compiling it does not count toward its time. */
async function warmUp<Input>(coders: readonly Coder<Input>[], input: Input): Promise<void> {
  for (const { code, qualities } of coders) await code(input, qualities[0] ?? 75);
}

/** Returns a function that scores files against a picture; identical files are scored only once. */
function memoizedScorer(
  scorers: Scorers,
  { raster: original, shown = (raster) => raster }: Omit<Subject<unknown>, 'input'>,
): (file: Uint8Array) => Promise<number> {
  const known = new Map<string, Promise<number>>();
  const score = async (file: Uint8Array) =>
    (await scorers.likeness(original, shown(await decoded(file)))) ?? Number.NaN;
  return (file) => {
    const digest = createHash('sha256').update(file).digest('hex');
    const found = known.get(digest) ?? score(file);
    known.set(digest, found);
    return found;
  };
}

/** One coding of a picture. */
interface Point {
  /** SSIMULACRA2. */
  readonly score: number;
  readonly bytes: number;
  /** CPU time in milliseconds. */
  readonly time: number;
}

/**
 * Bytes or time at a score, interpolated between the two adjacent points by logarithm.
 *
 * @returns undefined if the points do not cover the score
 */
export function atScore(
  points: readonly Point[],
  score: number,
  what: 'bytes' | 'time',
): number | undefined {
  const sorted = points.toSorted((a, b) => a.score - b.score);
  for (const [i, above] of sorted.entries()) {
    if (above.score === score) return above[what];
    const below = sorted[i - 1];
    if (!below || below.score > score || above.score < score) continue;
    const share = (score - below.score) / (above.score - below.score);
    return below[what] * (above[what] / below[what]) ** share;
  }
  return undefined;
}

/** Scores at which files are compared: from heavily compressed web photos to nearly imperceptible loss. */
const targets = [65, 70, 75, 80, 85];
/** The score at which times are compared: about that of `quality=auto`. */
const usualScore = 80;

/** Bytes and time of our coder over those of each peer at equal scores, as medians over pictures. */
export function equalScoreTable(
  caption: string,
  curves: readonly RateCurves[],
  ours: string,
  peers: readonly string[],
): Table {
  const rows = peers.map((peer) => {
    const ratios = targets.map((score) => ratiosAt(curves, ours, peer, score, 'bytes'));
    const perMegapixel = curves.map(({ pixels, points }) => {
      const time = atScore(points.get(peer) ?? [], usualScore, 'time');
      return time && (time * 1e6) / pixels;
    });
    return [
      peer,
      ...[...ratios, ratios.flat()].map((values) => figure(median(values), 3)),
      figure(median(perMegapixel)),
      figure(median(ratiosAt(curves, ours, peer, usualScore, 'time')), 2),
    ];
  });
  const scores = targets.map((score) => `bytes at ${score}`);
  const columns = [`${ours}, against`, ...scores, 'all of them', 'their CPU ms/MP', 'CPU ratio'];
  return { caption, columns, rows };
}

/** For each picture, bytes over those of one peer at equal scores, their geometric mean, and the ratio of CPU times. */
export function eachAtEqualScore(
  caption: string,
  curves: readonly RateCurves[],
  ours: string,
  peer: string,
): Table {
  const rows = curves.map((curve) => {
    const ratios = targets.map((score) => ratiosAt([curve], ours, peer, score, 'bytes')[0]);
    const [time] = ratiosAt([curve], ours, peer, usualScore, 'time');
    return { name: curve.name, figures: [...ratios, geometricMean(ratios)], time };
  });
  const scores = targets.map((score) => `bytes at ${score}`);
  const figures = [...scores, 'their mean'];
  const worst = figures.map((_, column) => most(rows.map((row) => row.figures[column])));
  return {
    caption,
    columns: [`${ours}, against ${peer}`, ...figures, 'CPU ratio'],
    rows: [
      ...rows.map(({ name, figures: values, time }) => [
        name,
        ...values.map((value) => figure(value, 3)),
        figure(time, 2),
      ]),
      [
        'the worst',
        ...worst.map((value) => figure(value, 3)),
        figure(most(rows.map(({ time }) => time)), 2),
      ],
    ],
  };
}

/** Pictures with a common summary. */
export interface CurveGroup {
  readonly name: string;
  readonly curves: readonly RateCurves[];
}

/**
 * For groups of pictures, bytes over those of one peer at equal scores: in sum, and the median and the worst of the
 * pictures' geometric means.
 */
export function groupsAtEqualScore(
  caption: string,
  groups: readonly CurveGroup[],
  ours: string,
  peer: string,
): Table {
  return {
    caption,
    columns: [`${ours}, against ${peer}`, 'bytes in sum', 'median', 'the worst', 'CPU in sum'],
    rows: groups.map(({ name, curves }) => {
      const pairs = targets.flatMap((score) => pairsAt(curves, ours, peer, score, 'bytes'));
      const means = curves.map((curve) =>
        geometricMean(targets.flatMap((score) => ratiosAt([curve], ours, peer, score, 'bytes'))),
      );
      return [
        `${curves.length} ${name}`,
        ...[ratioOfSums(pairs), median(means), most(means)].map((value) => figure(value, 3)),
        figure(ratioOfSums(pairsAt(curves, ours, peer, usualScore, 'time')), 2),
      ];
    }),
  };
}

function ratiosAt(...which: Parameters<typeof pairsAt>): (number | undefined)[] {
  return pairsAt(...which).map(([own, theirs]) => ratio(own, theirs));
}

/** For each picture, bytes or time of our coder and of a peer. */
function pairsAt(
  curves: readonly RateCurves[],
  ours: string,
  peer: string,
  score: number,
  what: 'bytes' | 'time',
): (readonly [number | undefined, number | undefined])[] {
  return curves.map(({ points }) => [
    atScore(points.get(ours) ?? [], score, what),
    atScore(points.get(peer) ?? [], score, what),
  ]);
}

/** Bytes per pixel against score: for each score that every picture reaches, the median over the pictures. */
export function rateCurvePlot(
  { name, title }: Pick<Plot, 'name' | 'title'>,
  curves: readonly RateCurves[],
  coders: readonly string[],
): Plot {
  return {
    name,
    title,
    x: { title: 'bytes per pixel', scale: 'log' },
    y: { title: 'SSIMULACRA2', scale: 'linear' },
    series: coders.map((coder) => medianCurve(curves, coder)),
  };
}

const plotted = Array.from({ length: 17 }, (_, i) => 54 + 2.5 * i);

function medianCurve(curves: readonly RateCurves[], coder: string): Series {
  const points = plotted.flatMap((score) => {
    const rates = curves.map(({ pixels, points }) => {
      const bytes = atScore(points.get(coder) ?? [], score, 'bytes');
      return bytes === undefined ? undefined : bytes / pixels;
    });
    // If pictures were missing, the median would be that of a different set.
    if (rates.includes(undefined)) return [];
    return [{ x: median(rates) ?? 0, y: score }];
  });
  return { name: coder, mark: 'line', points };
}
