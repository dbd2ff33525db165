/** The media type's name without `image/`. */
export type AnimationType = 'gif' | 'png' | 'webp';

/** One picture of a timeline: the whole canvas, as it is seen until its end. */
export interface TimelinePicture {
  /** The composed canvas, straight RGBA. */
  readonly pixels: Buffer;
  /** When the next picture takes its place, in milliseconds from the begin of a play; exact, maybe a fraction. */
  readonly end: number;
}

/** What an animation shows, however its file says it. */
export interface Timeline {
  readonly width: number;
  readonly height: number;
  /** How often it is played; 0: without end. */
  readonly plays: number;
  readonly pictures: readonly TimelinePicture[];
}

export interface Likeness {
  /**
   * By how much alpha may differ, and colours as they are seen: their difference counts by the larger alpha of the two.
   * At 0, pixels are equal or fully transparent both.
   */
  readonly tolerance?: number;
  /** By how many milliseconds the end of a picture may differ, beside what sums of fractions are wrong by. */
  readonly rounding?: number;
}

/** Thirds of a second do not add up exactly. In milliseconds, for plays of days. */
const arithmeticError = 1e-5;

/**
 * The timeline with equal pictures in a row made one. Pictures of no duration stay where they differ from what is
 * before and behind: they are no instant's picture by the file, but browsers show them for a tenth of a second.
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
 * What two animations first differ in, as a sentence; null: nothing.
 *
 * Without tolerance, their merged pictures are compared one by one. With it, pictures that are alike but not equal may
 * be one in the one animation and several in the other: both are walked along a common path, on each step of which the
 * two pictures are alike and their times touch.
 */
export function timelineDifference(
  actual: Timeline,
  expected: Timeline,
  { tolerance = 0, rounding: allowed = 0 }: Likeness = {},
): string | null {
  const rounding = allowed + arithmeticError;
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
    // Where a picture lasts, only one that is like it can take the other's place; the last on the stack is tried first.
    if (later >= -rounding && alike(i, j + 1)) open.push([i, j + 1]);
    if (later <= rounding && alike(i + 1, j)) open.push([i + 1, j]);
    if (together) open.push([i + 1, j + 1]);
  }
  return furthest.difference;
}

/** Number of the first pixel that differs by more than the tolerance; −1: none. */
export function firstDifference(a: Buffer, b: Buffer, tolerance: number): number {
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
