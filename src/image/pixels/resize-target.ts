import type { Orientation } from '../metadata/exif-block.ts';
import type { Region } from './raster.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A region of a picture and the size that it is reduced to, in pixels of the picture as it is shown. */
export interface ResizeTarget extends Size {
  readonly region: Region;
}

/**
 * A region of a picture and the size that it is reduced to, in pixels of the picture as it is coded, not turned yet.
 */
export interface CodedTarget extends Size {
  readonly region: Region;
}

/** Box that a picture is to be fitted into, in pixels of the upright picture; null: as it comes. */
export interface ResizeBox {
  readonly width: number | null;
  readonly height: number | null;
  /** `cover` fills the box and cuts from the middle; it takes both sides, else it is `inside`. */
  readonly fit: 'inside' | 'cover';
}

/**
 * What to make of a picture so that it fits into a box. Nothing is enlarged:
 * `inside`, a picture that fits stays; under `cover`, a box that is too large
 * shrinks in its own proportion.
 *
 * @param source the picture's size as it is shown
 * @returns null if nothing changes
 */
export function resizeTarget(source: Size, { width, height, fit }: ResizeBox): ResizeTarget | null {
  const target =
    fit === 'cover' && width !== null && height !== null
      ? covering(source, { width, height })
      : inside(source, width ?? Number.POSITIVE_INFINITY, height ?? Number.POSITIVE_INFINITY);
  const changes = target.width < source.width || target.height < source.height;
  return changes ? target : null;
}

/**
 * Takes a target to coded pixels, so that a picture is reduced before it is turned.
 *
 * @param target null: the size stays
 * @param coded the picture's size as it is coded
 * @param base the part of the coded picture that is shown (an AVIF's clean aperture), to which the target refers; null
 *   for all of it
 * @param orientation the turn that shows the coded picture upright
 * @returns null if all of the picture stays as it is
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
  const { region } = target;
  const across = { start: region.left, length: region.width, result: target.width };
  const down = { start: region.top, length: region.height, result: target.height };
  const [x, y] = orientation >= 5 ? [down, across] : [across, down];
  const left = reversedColumns.has(orientation) ? shown.width - x.start - x.length : x.start;
  const top = reversedRows.has(orientation) ? shown.height - y.start - y.length : y.start;
  return {
    region: { left: shown.left + left, top: shown.top + top, width: x.length, height: y.length },
    width: x.result,
    height: y.result,
  };
}

/** Parts of a pixel that a region may begin and end at: sums of them are exact. */
const partsOfPixel = 1024;

/**
 * What to make of a second picture that covers the same as a first one, so that it still does: the same part of
 * it, reduced as much.
 *
 * @param target what the first picture becomes
 * @param first its size
 * @param second size of the other picture
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
  /** Pixels that it is reduced to. */
  readonly result: number;
}

/** @param scale pixels of the second picture for one of the first */
function matchingSpan(start: number, length: number, result: number, scale: number): Span {
  const snapped = (at: number) => Math.round(at * scale * partsOfPixel) / partsOfPixel;
  return {
    start: snapped(start),
    length: snapped(start + length) - snapped(start),
    result: Math.round(result * scale),
  };
}

/** At least a pixel of a side; where its pixels stay as large as they are, they are whole ones. */
function within({ start, length, result }: Span, side: number): Span {
  const covered = Math.min(Math.max(length, 1), side);
  const pixels = Math.max(1, Math.min(result, Math.floor(covered)));
  const first = Math.max(0, Math.min(start, side - covered));
  return { start: pixels === covered ? Math.floor(first) : first, length: covered, result: pixels };
}

/**
 * Orientations that show the coded columns from the last to the first, and
 * those that show the rows so (CIPA DC-008 §4.6.4, tag 0x0112).
 */
const reversedColumns: ReadonlySet<Orientation> = new Set([2, 3, 7, 8]);
const reversedRows: ReadonlySet<Orientation> = new Set([3, 4, 6, 7]);

function inside(source: Size, width: number, height: number): ResizeTarget {
  const region = { left: 0, top: 0, width: source.width, height: source.height };
  if (width >= source.width && height >= source.height) {
    return { region, width: source.width, height: source.height };
  }
  return { region, ...proportional(source, { width, height }) };
}

function covering(source: Size, box: Size): ResizeTarget {
  const isTooLarge = box.width > source.width || box.height > source.height;
  const target = isTooLarge ? proportional(box, source) : box;
  // a box that had to shrink is as large as the source on one side, and cuts without reducing
  const { width, height } = isTooLarge ? target : proportional(target, source);
  const left = Math.floor((source.width - width) / 2);
  const top = Math.floor((source.height - height) / 2);
  return { region: { left, top, width, height }, ...target };
}

/** The size in proportion to `shape` that fills `room` on one side, and has at least one pixel. */
function proportional(shape: Size, room: Size): Size {
  if (room.width * shape.height <= room.height * shape.width) {
    const height = Math.round((shape.height * room.width) / shape.width);
    return { width: room.width, height: Math.max(height, 1) };
  }
  const width = Math.round((shape.width * room.height) / shape.height);
  return { width: Math.max(width, 1), height: room.height };
}
