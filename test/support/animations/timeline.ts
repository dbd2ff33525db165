/** The media subtype, without `image/`. */
export type AnimationType = 'gif' | 'png' | 'webp';

/** One picture of a timeline: the whole canvas, as shown until `end`. */
export interface TimelinePicture {
  /** The composed canvas, straight RGBA. */
  readonly pixels: Buffer;
  /** When the next picture replaces it, in milliseconds from the beginning of a play; exact, possibly fractional. */
  readonly end: number;
}

/** What an animation shows, regardless of how its file encodes it. */
export interface Timeline {
  readonly width: number;
  readonly height: number;
  /** Number of plays; 0: endless. */
  readonly plays: number;
  readonly pictures: readonly TimelinePicture[];
}

export interface Likeness {
  /**
   * Maximum difference of alpha, and of colors weighted by the larger alpha of the two. At 0, pixels must be equal or
   * both fully transparent.
   */
  readonly tolerance?: number;
  /** Maximum difference of the end of a picture in milliseconds, in addition to rounding errors of sums. */
  readonly rounding?: number;
}

/** Tolerance in milliseconds for rounding errors of sums, such as of thirds of a second, in plays that last days. */
const roundingTolerance = 1e-5;

/**
 * The timeline with equal consecutive pictures merged. Pictures without duration are kept if they differ from their
 * neighbors: by the file they are never visible, but browsers show them for a tenth of a second.
 */
export function merged(timeline: Timeline): Timeline {
  const pictures: TimelinePicture[] = [];
  for (const picture of timeline.pictures) {
    const before = pictures.at(-1);
    const same = before !== undefined && firstDifference(before.pixels, picture.pixels, 0) === -1;
    if (same) pictures[pictures.length - 1] = { pixels: before.pixels, end: picture.end };
    else pictures.push(picture);
  }
  return { ...timeline, pictures };
}

/** Whether two animations show the same pictures for the same time in the same order. */
export function sameTimeline(actual: Timeline, expected: Timeline, likeness?: Likeness): boolean {
  return timelineDifference(actual, expected, likeness) === null;
}

/**
 * The first difference between two animations, as a sentence; null if there is none.
 *
 * Without tolerance, their merged pictures are compared one by one. With it, similar but unequal pictures may be one
 * picture in one animation and several in the other: both are walked along a common path, on each step of which the two
 * pictures are similar and their times touch.
 */
export function timelineDifference(
  actual: Timeline,
  expected: Timeline,
  { tolerance = 0, rounding: allowed = 0 }: Likeness = {},
): string | null {
  const rounding = allowed + roundingTolerance;
  if (actual.width !== expected.width || actual.height !== expected.height) {
    return `is ${actual.width} × ${actual.height}, expected ${expected.width} × ${expected.height}`;
  }
  if (actual.plays !== expected.plays) {
    return `is played ${times(actual.plays)}, expected ${times(expected.plays)}`;
  }
  const a = merged(actual).pictures;
  const b = merged(expected).pictures;
  if (a.length === 0 || b.length === 0) {
    return a.length === b.length ? null : `has ${a.length} pictures, expected ${b.length}`;
  }
  let furthest = { steps: -1, difference: '' };
  const failed = (i: number, j: number, difference: string) => {
    if (i + j > furthest.steps) furthest = { steps: i + j, difference };
  };
  const alike = (i: number, j: number) => {
    const [one, other] = [a[i], b[j]];
    return one && other && firstDifference(one.pixels, other.pixels, tolerance) === -1;
  };
  const seen = new Set<number>();
  const open: (readonly [number, number])[] = [[0, 0]];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const [i, j] = state;
    const one = a[i];
    const other = b[j];
    if (one === undefined || other === undefined || seen.has(i * b.length + j)) continue;
    seen.add(i * b.length + j);
    const at = firstDifference(one.pixels, other.pixels, tolerance);
    if (at !== -1) {
      failed(i, j, `${place(a, i, b, j)}: ${pixelDifference(one, other, at, actual.width)}`);
      continue;
    }
    const later = one.end - other.end;
    const together = Math.abs(later) <= rounding;
    const lasts = [i === a.length - 1, j === b.length - 1];
    if (together && lasts.every(Boolean)) return null;
    if (!together) {
      failed(i, j, `${place(a, i, b, j)}: ends at ${one.end} ms, expected ${other.end} ms`);
    } else if (lasts.some(Boolean)) {
      const count = `${a.length} distinct pictures, expected ${b.length}`;
      failed(i, j, `${place(a, i, b, j)}: the last one of ${count}`);
    }
    // While a picture lasts, it can only be replaced by a similar one; the last entry on the stack is tried first.
    if (later >= -rounding && alike(i, j + 1)) open.push([i, j + 1]);
    if (later <= rounding && alike(i + 1, j)) open.push([i + 1, j]);
    if (together) open.push([i + 1, j + 1]);
  }
  return furthest.difference;
}

/** Index of the first pixel that differs by more than the tolerance; −1 if there is none. */
function firstDifference(a: Buffer, b: Buffer, tolerance: number): number {
  if (a.length !== b.length) throw new RangeError('pictures of different size');
  if (a.equals(b)) return -1;
  for (let at = 0; at < a.length; at += 4) {
    const [alphaA, alphaB] = [a[at + 3] ?? 0, b[at + 3] ?? 0];
    if (Math.abs(alphaA - alphaB) > tolerance) return at / 4;
    const weight = Math.max(alphaA, alphaB) / 255;
    for (let channel = at; channel < at + 3; channel++) {
      if (Math.abs((a[channel] ?? 0) - (b[channel] ?? 0)) * weight > tolerance) return at / 4;
    }
  }
  return -1;
}

function times(plays: number): string {
  return plays === 0 ? 'without end' : `${plays} times`;
}

type Pictures = readonly TimelinePicture[];

function place(a: Pictures, i: number, b: Pictures, j: number): string {
  const instant = Math.max(a[i - 1]?.end ?? 0, b[j - 1]?.end ?? 0);
  const name = i === j ? `picture ${i}` : `picture ${i}, against ${j} of the expected`;
  return `${name}, at ${instant} ms`;
}

function pixelDifference(
  { pixels: actual }: TimelinePicture,
  { pixels: expected }: TimelinePicture,
  at: number,
  width: number,
): string {
  const color = (pixels: Buffer) => [...pixels.subarray(4 * at, 4 * at + 4)].join(',');
  const [x, y] = [at % width, Math.floor(at / width)];
  return `pixel (${x}, ${y}) is rgba ${color(actual)}, expected ${color(expected)}`;
}
