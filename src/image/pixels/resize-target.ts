import type { Orientation } from '../metadata/exif-block.ts';
import type { Region } from './raster.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A region of a picture and the size of the result, in pixels of the upright picture. */
export interface ResizeTarget extends Size {
  readonly region: Region;
  /** Where the region, reduced to this size, lies in the result; absent if it is all of it. */
  readonly place?: Region;
}

/** The same in pixels of the coded picture, before rotation. */
export type CodedTarget = ResizeTarget;

/**
 * How a picture fits a box: `inside` is as large as the box allows, `outside` as small as covers it, both in proportion;
 * `cover` fills the box and is cropped; `contain` is `inside` with margins to the sides of the box; `fill` fills it and
 * is stretched.
 */
export type Fit = 'inside' | 'outside' | 'cover' | 'contain' | 'fill';

/** A point of the upright picture, as fractions of its sides. */
export interface Position {
  readonly x: number;
  readonly y: number;
}

/** The box to fit a picture into, in pixels of the upright picture; null for no limit. */
export interface ResizeBox {
  readonly width: number | null;
  readonly height: number | null;
  /** Anything but `inside` requires both sides, otherwise that applies. */
  readonly fit: Fit;
  /**
   * The point that stays as near to the middle as a crop allows; of `contain`, the shares of the margins to the left and
   * above. `auto` has to be settled before a crop is made, and only its size is right until then.
   */
  readonly position: Position | 'auto';
}

export const centerPosition: Position = { x: 0.5, y: 0.5 };

/**
 * Determines the crop and size with which a picture fits a box. Nothing is enlarged: a picture that would be stays, and
 * for `cover` and `fill`, a box that is too large is scaled down. Only margins make a result larger than its picture.
 *
 * @param source size of the upright picture
 * @returns null if nothing changes
 */
export function resizeTarget(source: Size, box: ResizeBox): ResizeTarget | null {
  const target = targetIn(source, box);
  const changes = target.width !== source.width || target.height !== source.height;
  return changes ? target : null;
}

function targetIn(source: Size, { width, height, fit, position }: ResizeBox): ResizeTarget {
  if (width === null || height === null || fit === 'inside') {
    const infinite = Number.POSITIVE_INFINITY;
    return inside(source, { width: width ?? infinite, height: height ?? infinite });
  }
  const box = { width, height };
  const settled = position === 'auto' ? centerPosition : position;
  switch (fit) {
    case 'outside':
      return whole(source, isTooLarge(box, source) ? source : proportional(source, box, 'outside'));
    case 'fill':
      return whole(source, withinSource(box, source));
    case 'cover':
      return covering(source, box, settled);
    case 'contain':
      return containing(source, box, settled);
  }
}

/** The size to which the region of a target is reduced; the result may have margins around it. */
export function reducedSize({ place, width, height }: ResizeTarget): Size {
  return place ?? { width, height };
}

/**
 * Converts a target to coded pixels, so that a picture is reduced before it is rotated.
 *
 * @param target null if the size stays
 * @param coded size of the coded picture
 * @param base the visible part of the coded picture (an AVIF's clean aperture), to which the target refers; null
 *   for all of it
 * @param orientation the rotation that makes the coded picture upright
 * @returns null if nothing changes
 */
export function codedTarget(
  target: ResizeTarget | null,
  coded: Size,
  base: Region | null,
  orientation: Orientation,
): CodedTarget | null {
  const shown = base ?? { left: 0, top: 0, width: coded.width, height: coded.height };
  if (!target) {
    const { width, height } = shown;
    const isAll = width === coded.width && height === coded.height;
    return isAll ? null : { region: shown, width, height };
  }
  const { region, place } = target;
  const { left, top, ...size } = codedRegion(region, shown, orientation);
  const result = orientation >= 5 ? { width: target.height, height: target.width } : target;
  return {
    region: { left: shown.left + left, top: shown.top + top, ...size },
    width: result.width,
    height: result.height,
    ...(place && { place: codedRegion(place, result, orientation) }),
  };
}

/** A region of an upright picture in pixels of the coded one, which has this size. */
function codedRegion(upright: Region, coded: Size, orientation: Orientation): Region {
  const across = { start: upright.left, length: upright.width };
  const down = { start: upright.top, length: upright.height };
  const [x, y] = orientation >= 5 ? [down, across] : [across, down];
  const left = reversedColumns.has(orientation) ? coded.width - x.start - x.length : x.start;
  const top = reversedRows.has(orientation) ? coded.height - y.start - y.length : y.start;
  return { left, top, width: x.length, height: y.length };
}

/** Regions start and end at multiples of this fraction of a pixel, whose sums are exact. */
const partsOfPixel = 1024;

/**
 * The target for a second picture that shows the same scene as the first one, so that both still match: the same part,
 * reduced by the same factor.
 *
 * @param target target of the first picture
 * @param first size of the first picture
 * @param second size of the second picture
 */
export function matchingTarget(target: CodedTarget, first: Size, second: Size): CodedTarget {
  const { region } = target;
  const x = matchingSpan(region.left, region.width, target.width, second.width / first.width);
  const y = matchingSpan(region.top, region.height, target.height, second.height / first.height);
  const across = within(x, second.width);
  const down = within(y, second.height);
  return {
    region: { left: across.start, top: down.start, width: across.length, height: down.length },
    width: across.result,
    height: down.result,
  };
}

interface Span {
  readonly start: number;
  readonly length: number;
  /** Number of pixels to reduce it to. */
  readonly result: number;
}

/** @param scale pixels of the second picture per pixel of the first */
function matchingSpan(start: number, length: number, result: number, scale: number): Span {
  const snapped = (at: number) => Math.round(at * scale * partsOfPixel) / partsOfPixel;
  return {
    start: snapped(start),
    length: snapped(start + length) - snapped(start),
    result: Math.round(result * scale),
  };
}

/** Limits a span to a side, with at least one pixel; without reduction, the span consists of whole pixels. */
function within({ start, length, result }: Span, side: number): Span {
  const covered = Math.min(Math.max(length, 1), side);
  const pixels = Math.max(1, Math.min(result, Math.floor(covered)));
  const first = Math.max(0, Math.min(start, side - covered));
  return { start: pixels === covered ? Math.floor(first) : first, length: covered, result: pixels };
}

/**
 * The orientations that reverse the coded columns, and those that reverse the rows (CIPA DC-008 §4.6.4, tag 0x0112).
 */
const reversedColumns: ReadonlySet<Orientation> = new Set([2, 3, 7, 8]);
const reversedRows: ReadonlySet<Orientation> = new Set([3, 4, 6, 7]);

function whole(source: Size, size: Size): ResizeTarget {
  const { width, height } = source;
  return { region: { left: 0, top: 0, width, height }, width: size.width, height: size.height };
}

function inside(source: Size, box: Size): ResizeTarget {
  const fits = box.width >= source.width && box.height >= source.height;
  return whole(source, fits ? source : proportional(source, box));
}

function covering(source: Size, box: Size, { x, y }: Position): ResizeTarget {
  const target = withinSource(box, source);
  // A box that was scaled down matches the source on one side, so it crops without reducing.
  const { width, height } = isTooLarge(box, source) ? target : proportional(target, source);
  const left = cropStart(x, source.width, width);
  const top = cropStart(y, source.height, height);
  return { region: { left, top, width, height }, ...target };
}

function containing(source: Size, box: Size, { x, y }: Position): ResizeTarget {
  const { region, width, height } = inside(source, box);
  const left = Math.floor(x * (box.width - width));
  const top = Math.floor(y * (box.height - height));
  const isFilled = width === box.width && height === box.height;
  return {
    region,
    ...{ width: box.width, height: box.height },
    ...(!isFilled && { place: { left, top, width, height } }),
  };
}

/** Where a crop of a side begins, so that the point at this fraction is as near to its middle as possible. */
function cropStart(at: number, side: number, length: number): number {
  return Math.max(0, Math.min(Math.floor(at * side - length / 2), side - length));
}

/** Whether a box would enlarge a picture that fills it. */
function isTooLarge(box: Size, source: Size): boolean {
  return box.width > source.width || box.height > source.height;
}

/** The box, or the largest one of its proportions within the picture. */
function withinSource(box: Size, source: Size): Size {
  return isTooLarge(box, source) ? proportional(box, source) : box;
}

/** The largest size with the aspect ratio of `shape` that fits into `room`, or the smallest that covers it. */
function proportional(shape: Size, room: Size, how: 'inside' | 'outside' = 'inside'): Size {
  const isTighterAcross = room.width * shape.height <= room.height * shape.width;
  if (isTighterAcross === (how === 'inside')) {
    const height = Math.round((shape.height * room.width) / shape.width);
    return { width: room.width, height: Math.max(height, 1) };
  }
  const width = Math.round((shape.width * room.height) / shape.height);
  return { width: Math.max(width, 1), height: room.height };
}
