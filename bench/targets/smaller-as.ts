import type { OutputType } from '../../src/image/formats/facts.ts';
import { namedTargets } from '../../src/image/metric/targets.ts';
import type { Table } from '../harness/section.ts';
import { figure } from '../measures/figures.ts';
import type { AtTarget } from './reached.ts';

/** A JPEG converted to another format, compared with a JPEG result. */
export interface JpegComparison {
  readonly name: string;
  readonly format: OutputType;
  /** Bytes over those of the JPEG at the same target. */
  readonly ratio: number;
  /** Whether `Image-Smaller-As: jpeg` was sent. */
  readonly isAnnounced: boolean;
}

/** The ratio to the bytes of the JPEG above which the header is expected. */
const expectedRatio = 1.03;

export function isCorrect({ ratio, isAnnounced }: JpegComparison): boolean {
  return isAnnounced === ratio > expectedRatio;
}

/** The comparisons of JPEGs for which both results exist, at the target of `auto`. */
export function jpegComparisons(runs: readonly AtTarget[]): JpegComparison[] {
  const atMedium = runs.filter(({ target }) => target === namedTargets.medium);
  const ofJpegs = atMedium.filter(({ scored }) => scored.isJpeg);
  return ofJpegs.flatMap(({ scored: { name, format, bytes, smallerAs } }) => {
    const jpeg = ofJpegs.find(({ scored }) => scored.name === name && scored.format === 'jpeg');
    const isLossy = format === 'webp' || format === 'avif';
    if (!jpeg || !isLossy) return [];
    return [{ name, format, ratio: bytes / jpeg.scored.bytes, isAnnounced: smallerAs === 'jpeg' }];
  });
}

/** How often the header is right, by format, and the ratios where it is not. */
export function smallerAsTable(all: readonly JpegComparison[]): Table {
  const byFormat = Map.groupBy(all, ({ format }) => format);
  return {
    caption: 'Image-Smaller-As of JPEGs in other formats, against the JPEG at the same target',
    columns: ['', 'pictures', 'right', 'ratios to the JPEG where it is not'],
    rows: [...byFormat].map(([format, group]) => [
      format,
      String(group.length),
      String(group.filter(isCorrect).length),
      group
        .filter((one) => !isCorrect(one))
        .map(({ ratio }) => figure(ratio, 3))
        .join(', '),
    ]),
  };
}
