import { freeMemory } from '../../container/workspace.ts';
import type { Finished } from '../../formats/format.ts';
import type { Quality } from '../../formats/inspection.ts';
import { trialFormOf } from '../../formats/registry.ts';
import { addErrors } from '../../metric/mosaic.ts';
import { ScorePool } from '../../metric/ssimulacra2.ts';
import { bandsOf } from '../../metric/tiles.ts';
import { endRaster } from '../../pixels/raster.ts';
import { gatheredPart } from '../../pixels/row-source.ts';
import type { Slices } from '../../slices.ts';
import { arena } from '../../wasm/arena.ts';
import { CodecError } from '../../wasm/codec.ts';
import { interpolated } from '../../wasm/memory-ledger.ts';
import { whileHeld } from '../comparison.ts';
import type { Failure } from '../result.ts';
import { isTransparentAs, type OpenCandidate, stepsOf } from './open-candidate.ts';
import type { Samples } from './samples.ts';
import { isBetter, type SearchedScale, type Trial } from './search.ts';
import { decodedFile } from './trials.ts';

/** Maximum number of full passes over a picture. */
const maxPasses = 3;

/** Maximum distance to the target, in points, at which a result is accepted. */
export const nearEnough = 1.95;

/** Encodes and scores a picture for a search by full passes. */
interface PassMaker<Candidate> {
  readonly target: number;
  readonly scale: SearchedScale;
  /** Encodes it in full. @param held the best result so far, which is held meanwhile */
  make(candidate: Candidate, held?: Finished): Slices<Finished | Failure>;
  /** The score of a result; null if there is none. */
  scored(made: Finished): Slices<number | null>;
  /** Whether there is time for another pass and its scoring. */
  mayRepeat(): boolean;
  /** Size in bytes of another result, which this one has to beat; absent if there is none. */
  readonly least?: number | undefined;
}

/**
 * Encodes a picture for which trials are too unreliable, scores the whole result, and encodes it again at a corrected
 * quality if it misses its target.
 * @returns the result closest to the target, or a shorter one that is good enough, with its score
 */
export function* encodeNear<Candidate extends { readonly quality: Quality }>(
  candidate: Candidate,
  { target, scale, make, scored, mayRepeat, least }: PassMaker<Candidate>,
): Slices<Finished | Failure> {
  const passes: Trial[] = [];
  const offOf = ({ score }: Trial) => Math.abs(score - target);
  let best: Finished | undefined;
  for (let { quality } = candidate; ; ) {
    const made = yield* make({ ...candidate, quality }, best);
    const score = made.kind === 'finished' ? yield* whileHeld(best, () => scored(made)) : null;
    if (made.kind !== 'finished' || typeof made.quality !== 'number' || score === null) {
      if (!best) return made;
      if (made.kind === 'finished') freeMemory(made.bytes);
      return best;
    }
    const pass = { quality: made.quality, score, bytes: made.bytes.length };
    const isBest = passes.every((other) => isBetter(pass, other, target));
    passes.push(pass);
    freeMemory((isBest ? best : made)?.bytes);
    best = isBest || !best ? { ...made, score } : best;
    if (offOf(pass) <= nearEnough || passes.length === maxPasses) return best;
    // A result with a higher score would be even longer.
    if (least !== undefined && pass.bytes >= least && pass.score <= target) return best;
    const next = correctedQuality(target, scale, passes);
    if (passes.some((one) => one.quality === next) || !mayRepeat()) return best;
    quality = next;
  }
}

/**
 * The quality closest to a target, given the scores of full passes: the distance of a score to 100 is a fraction of
 * that on the typical curve, and this fraction changes little between qualities.
 */
export function correctedQuality(
  target: number,
  { scores, lowest, highest }: Omit<SearchedScale, 'leaps'>,
  passes: readonly Pick<Trial, 'quality' | 'score'>[],
): number {
  const shares = passes.map(({ quality, score }) => ({
    quality,
    share: (100 - score) / (100 - interpolated(scores, quality)),
  }));
  shares.sort((a, b) => a.quality - b.quality);
  const shareAt = (quality: number) => {
    const below = shares.findLast((one) => one.quality <= quality);
    const above = shares.find((one) => one.quality >= quality);
    if (!below || !above || below === above) return (below ?? above)?.share ?? 1;
    const part = (quality - below.quality) / (above.quality - below.quality);
    return below.share + part * (above.share - below.share);
  };
  let best = lowest;
  let least = Number.POSITIVE_INFINITY;
  for (let quality = lowest; quality <= highest; quality += 1) {
    const score = 100 - shareAt(quality) * (100 - interpolated(scores, quality));
    const off = Math.abs(score - target);
    if (off < least) [best, least] = [quality, off];
  }
  return best;
}

/**
 * SSIMULACRA2 score of a whole result compared with the picture as it should look, computed band by band; null if there
 * is not enough memory. Frees what the samples hold.
 * @param bytes the result, or its stand-in (`trialFormOf`)
 */
export function* wholeScore(
  samples: Samples,
  candidate: OpenCandidate,
  { bytes }: Pick<Finished, 'bytes'>,
): Slices<number | null> {
  const { source } = samples;
  const steps = stepsOf(candidate);
  const hasAlpha = isTransparentAs(source, candidate);
  const pool = new ScorePool(hasAlpha);
  const form = trialFormOf(candidate.type);
  try {
    for (const tile of bandsOf(steps.target ?? source.image)) {
      const sample = yield* samples.of(steps, { kind: 'band', tile });
      if ('reason' in sample) return null;
      const { top, height } = tile.region;
      const coded = yield* decodedFile(bytes, form, (rows) => gatheredPart(rows, top, height));
      try {
        yield* addErrors(pool, sample, coded, hasAlpha, arena);
      } finally {
        endRaster(coded);
      }
    }
    return pool.score;
  } catch (error) {
    if (error instanceof CodecError) return null;
    throw error;
  } finally {
    samples.end();
  }
}
