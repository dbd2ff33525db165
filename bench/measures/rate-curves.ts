import { createHash } from 'node:crypto';
import type { Raster } from '../../src/image/pixels/raster.ts';
import type { CorpusFile } from '../harness/section.ts';
import { decoded } from '../likeness/likeness-of-files.ts';
import { Scorers } from '../likeness/scorers.ts';
import { runsFor, timed } from './cpu-time.ts';
import { eachPicture, type Measured } from './each-picture.ts';
import type { Point } from './rate-curve.ts';

/** A way from pictures to files. */
export interface Coder<Input> {
  readonly name: string;
  /** On its own scale, so that the scores of all coders cover the same span. */
  readonly qualities: readonly number[];
  code(input: Input, quality: number): Uint8Array | Promise<Uint8Array>;
}

/** A picture to be coded. */
export interface Subject<Input> {
  readonly input: Input;
  /** What it shows. */
  readonly raster: Raster;
}

/** What became of one picture, coder by coder. */
export interface RateCurves {
  readonly pixels: number;
  readonly points: ReadonlyMap<string, readonly Point[]>;
}

/** Codes every picture with every coder at all of its qualities; scores follow when all has been timed. */
export async function rateCurves<Input>(
  coders: readonly Coder<Input>[],
  files: readonly CorpusFile[],
  subjectOf: (file: CorpusFile) => Promise<Subject<Input>>,
  say: (line: string) => void,
): Promise<Measured<RateCurves>> {
  await using scorers = await Scorers.start();
  let isWarm = false;
  const curvesOf = async (file: CorpusFile): Promise<RateCurves> => {
    const { input, raster } = await subjectOf(file);
    if (!isWarm) await warmUp(coders, input);
    isWarm = true;
    const codings = await codedByAll(coders, input, raster);
    const scoreOf = scoring(scorers, raster);
    const points = new Map<string, readonly Point[]>();
    for (const [coder, made] of codings) points.set(coder, await scored(made, scoreOf));
    return { pixels: raster.width * raster.height, points };
  };
  // awaited here, since the threads end with this function
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
      const { result, milliseconds } = await timed(run, runsFor(raster));
      codings.push({ file: result, time: milliseconds });
    }
    all.set(coder.name, codings);
  }
  return all;
}

/** Once, so that compiling the coders is not taken for their work. */
async function warmUp<Input>(coders: readonly Coder<Input>[], input: Input): Promise<void> {
  for (const { code, qualities } of coders) await code(input, qualities[0] ?? 75);
}

/** Scores against a picture; files that are the same, byte by byte, are looked at once. */
function scoring(scorers: Scorers, original: Raster): (file: Uint8Array) => Promise<number> {
  const known = new Map<string, Promise<number>>();
  const score = async (file: Uint8Array) =>
    (await scorers.likeness(original, await decoded(file))) ?? Number.NaN;
  return (file) => {
    const digest = createHash('sha256').update(file).digest('hex');
    const found = known.get(digest) ?? score(file);
    known.set(digest, found);
    return found;
  };
}
