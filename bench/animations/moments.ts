import type { Raster } from '../../src/image/pixels/raster.ts';
import { Composition } from '../../test/support/animations/composition.ts';
import { animationIn, type CodedAnimation } from '../../test/support/animations/judges.ts';
import type { AnimationType } from '../../test/support/animations/timeline.ts';
import { onGrey } from '../likeness/likeness.ts';

/** Maximum number of moments at which an animation is compared. */
const maxMoments = 12;

/** Browsers replace durations up to `upTo` by `shown`, in milliseconds. */
const shortDurations = { upTo: 10, shown: 100 } as const;

function shownMs(ms: number): number {
  return ms <= shortDurations.upTo ? shortDurations.shown : ms;
}

/**
 * Moments spread evenly over one play of an animation, in milliseconds from its beginning. Each is in the middle of a
 * frame, so that rounded durations do not matter, and no two are in the same frame.
 */
export function momentsOf({ frames }: Pick<CodedAnimation, 'frames'>): readonly number[] {
  let total = 0;
  const spans = frames.map(({ ms }) => {
    const begin = total;
    total += shownMs(ms);
    return { begin, end: total };
  });
  const moments = Array.from({ length: maxMoments }, (_, i) => {
    const at = ((i + 0.5) * total) / maxMoments;
    const { begin, end } = spans.find((span) => at < span.end) ?? { begin: 0, end: 0 };
    return (begin + end) / 2;
  });
  return [...new Set(moments)];
}

/**
 * The pictures that a file shows at the given moments, which have to be in ascending order, on mid gray where they are
 * transparent. Only these pictures are kept in memory.
 */
export async function shownAt(
  type: AnimationType,
  file: Uint8Array,
  moments: readonly number[],
): Promise<Raster[]> {
  const { frames, over, width, height } = await animationIn(type, file);
  const composition = new Composition({ width, height }, over);
  const shown: Raster[] = [];
  let end = 0;
  for (const [i, frame] of frames.entries()) {
    if (shown.length === moments.length) break;
    const data = composition.show({ ...frame, pixels: await frame.decode() });
    end += shownMs(frame.ms);
    const isLast = i === frames.length - 1;
    while (shown.length < moments.length && (isLast || (moments[shown.length] ?? 0) < end)) {
      shown.push(onGrey({ width, height, data: new Uint8ClampedArray(data) }));
    }
  }
  return shown;
}
