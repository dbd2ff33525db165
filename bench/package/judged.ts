import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { decoded } from '../likeness/likeness.ts';
import type { Scorers } from '../likeness/scorers.ts';
import { mean } from '../measures/figures.ts';
import type { Sum } from '../targets/fixed.ts';
import { inParallel } from './in-parallel.ts';
import type { Photo } from './photos.ts';

/** The file that a photo was made into. */
export interface Judged {
  readonly bytes: number;
  /** SSIMULACRA2. */
  readonly score: number;
}

/** Scores the files in a folder against the photos of the same names. */
export function judged(
  photos: readonly Photo[],
  folder: string,
  scorers: Scorers,
): Promise<Judged[]> {
  return inParallel(photos, availableParallelism(), async ({ name, path }) => {
    const [original, coded] = [await readFile(path), await readFile(join(folder, name))];
    const score = await scorers.likeness(await decoded(original), await decoded(coded));
    return { bytes: coded.length, score: score ?? Number.NaN };
  });
}

/** Bytes of all files together, and their mean score. */
export function sumOf(files: readonly Judged[]): Sum {
  return {
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    score: mean(files.map(({ score }) => score)) ?? Number.NaN,
  };
}
