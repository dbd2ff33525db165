import type { OutputType } from '../../src/image/formats/facts.ts';
import { namedTargets } from '../../src/image/metric/targets.ts';
import type { Table } from '../harness/section.ts';
import { figure } from '../measures/figures.ts';
import type { AtTarget } from './reached.ts';

/** A JPEG in another format, beside the JPEG that it might have stayed. */
export interface Left {
  readonly name: string;
  readonly format: OutputType;
  /** Bytes against those of the JPEG at the same target. */
  readonly ratio: number;
  /** `Image-Smaller-As: jpeg`. */
  readonly isTold: boolean;
}

/** From so many times the bytes of the JPEG on it is to be told. */
const tellingRatio = 1.03;

export function isRight({ ratio, isTold }: Left): boolean {
  return isTold === ratio > tellingRatio;
}

/** JPEGs of which both were made, at the target that `auto` has. */
export function leftOf(runs: readonly AtTarget[]): Left[] {
  const atMedium = runs.filter(({ target }) => target === namedTargets.medium);
  const ofJpegs = atMedium.filter(({ scored }) => scored.isJpeg);
  return ofJpegs.flatMap(({ scored: { name, format, bytes, smallerAs } }) => {
    const jpeg = ofJpegs.find(({ scored }) => scored.name === name && scored.format === 'jpeg');
    const isLossy = format === 'webp' || format === 'avif';
    if (!jpeg || !isLossy) return [];
    return [{ name, format, ratio: bytes / jpeg.scored.bytes, isTold: smallerAs === 'jpeg' }];
  });
}

/** How often it is told rightly, by format, and where it is not. */
export function smallerAsTable(all: readonly Left[]): Table {
  const byFormat = Map.groupBy(all, ({ format }) => format);
  return {
    caption: 'Image-Smaller-As of JPEGs in other formats, against the JPEG at the same target',
    columns: ['', 'pictures', 'right', 'ratios to the JPEG where it is not'],
    rows: [...byFormat].map(([format, group]) => [
      format,
      String(group.length),
      String(group.filter(isRight).length),
      group
        .filter((one) => !isRight(one))
        .map(({ ratio }) => figure(ratio, 3))
        .join(', '),
    ]),
  };
}
