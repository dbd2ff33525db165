import { evenly } from '../measures/figures.ts';
import { bytesAt } from '../targets/fixed.ts';
import { type Judged, sumOf } from './judged.ts';
import type { Photo } from './photos.ts';

/** The results of a fixed quality that looks, on average, like other results. */
export interface FixedQuality {
  readonly quality: number;
  /** The files, in the order of the photos. */
  readonly files: readonly Judged[];
  /** Bytes of all files at the very mean score, between the two adjacent qualities. */
  readonly bytesAtScore: number;
}

/** Qualities that are tried: what photos on pages have lies well within. */
const [lowest, highest] = [40, 96];

/** Where the search begins, and how many points of the score a step of the quality makes from there, about. */
const [first, pointsPerStep] = [76, 0.6];

/** Number of photos on which the quality is sought; all are then made at the two closest ones. */
const soughtOn = 6;

/**
 * Seeks the fixed quality at which photos have the same mean score as other results of them.
 * @param others in the order of the photos
 * @param make makes photos at a quality
 */
export async function fixedQualityLike(
  others: readonly Judged[],
  photos: readonly Photo[],
  make: (photos: readonly Photo[], quality: number) => Promise<Judged[]>,
): Promise<FixedQuality> {
  const some = evenly([...photos.keys()], soughtOn);
  const somePhotos = photos.filter((_, i) => some.includes(i));
  const wantedOfSome = sumOf(others.filter((_, i) => some.includes(i))).score;
  let [below, above] = [lowest, highest];
  for (let next = first; above - below > 1; ) {
    const missing = wantedOfSome - sumOf(await make(somePhotos, next)).score;
    if (missing > 0) below = next;
    else above = next;
    const guess = next + Math.round(missing / pointsPerStep);
    next = Math.min(Math.max(guess, below + 1), above - 1);
  }
  const candidates: { quality: number; files: Judged[] }[] = [];
  for (const quality of [below, above]) {
    candidates.push({ quality, files: await make(photos, quality) });
  }
  const wanted = sumOf(others).score;
  const distance = (files: readonly Judged[]) => Math.abs(sumOf(files).score - wanted);
  const [closest] = candidates.toSorted((a, b) => distance(a.files) - distance(b.files));
  if (!closest) throw new Error('no quality was tried');
  const sums = candidates.map(({ files }) => sumOf(files));
  return { ...closest, bytesAtScore: bytesAt(wanted, sums) };
}
