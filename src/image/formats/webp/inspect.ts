import type { ByteRange } from '../../container/byte-cursor.ts';
import { ByteCursor } from '../../container/byte-cursor.ts';
import type { Orientation } from '../../metadata/exif-block.ts';
import { exifOrientation } from '../../metadata/exif-block.ts';
import { broken, isUnreadable, type Unreadable } from '../../refusal.ts';
import type { Inspection, InspectionResult } from '../format.ts';
import {
  extendedFlag,
  nextChunk,
  openContainer,
  readFrame,
  type WebpChunk,
  type WebpFrame,
} from './reader.ts';

export interface WebpInspection extends Inspection {
  readonly type: 'webp';
  /** Of the first frame. */
  readonly compression: 'lossy' | 'lossless';
}

const truncated = 'The WebP ends before the length that it states.';
const overlong = 'A WebP chunk is longer than what holds it.';

/** What the chunks after VP8X have said so far. */
interface Extended {
  /** In pixels. */
  readonly canvas: { readonly width: number; readonly height: number };
  frame: WebpFrame | undefined;
  hasAnimationChunk: boolean;
  animationFrames: number;
  hasAlphaChunk: boolean;
  icc: ByteRange | undefined;
  orientation: Orientation | undefined;
}

/** Reads chunk headers and the header of every frame. Source: RFC 9649 §2. */
export function inspectWebp(view: DataView): InspectionResult<WebpInspection> {
  const { cursor, isTruncated } = openContainer(view);
  if (isTruncated) return broken(truncated);
  const first = nextChunk(cursor);
  if (!first) return broken(overlong);
  if (first.type === 'VP8X') return inspectExtended(view, first, cursor);
  const frame = readFrame(view, first);
  if (!frame) return broken('The WebP does not begin with an image chunk.');
  if (isUnreadable(frame)) return frame;
  return {
    kind: 'image',
    image: {
      type: 'webp',
      width: frame.width,
      height: frame.height,
      bitDepth: 8,
      hasAlpha: frame.hasAlpha,
      isGrey: false,
      frames: 1,
      orientation: 1,
      icc: [],
      compression: frame.compression,
    },
  };
}

/**
 * §2.7: ICCP and EXIF count only when their VP8X flag is set, as for libwebp's demuxer. Alpha is the
 * other way round: any of the places that can announce it makes the picture possibly transparent.
 */
function inspectExtended(
  view: DataView,
  vp8x: WebpChunk,
  cursor: ByteCursor,
): InspectionResult<WebpInspection> {
  const header = new ByteCursor(view, vp8x.start, vp8x.end, 'little');
  const flags = header.uint8();
  header.skip(3);
  const width = header.uint24() + 1;
  const height = header.uint24() + 1;
  if (header.overrun) return broken('The WebP extended header is cut short.');
  if (width * height > 0xffff_ffff)
    return broken('The WebP canvas is larger than the format allows.');

  const extended: Extended = {
    canvas: { width, height },
    frame: undefined,
    hasAnimationChunk: false,
    animationFrames: 0,
    hasAlphaChunk: false,
    icc: undefined,
    orientation: undefined,
  };
  const isAnimation = (flags & extendedFlag.animation) !== 0;
  while (cursor.remaining > 0) {
    const chunk = nextChunk(cursor);
    if (!chunk) return broken(overlong);
    const refusal = readExtendedChunk(view, chunk, isAnimation, extended);
    if (refusal) return refusal;
  }

  const { frame } = extended;
  if (!frame) return broken('The WebP has no image.');
  if (!isAnimation && (frame.width !== width || frame.height !== height)) {
    return broken('The WebP image and its canvas have different sizes.');
  }
  return {
    kind: 'image',
    image: {
      type: 'webp',
      width,
      height,
      bitDepth: 8,
      hasAlpha: (flags & extendedFlag.alpha) !== 0 || frame.hasAlpha || extended.hasAlphaChunk,
      isGrey: false,
      frames: isAnimation ? Math.max(2, extended.animationFrames) : 1,
      orientation: (flags & extendedFlag.exif) !== 0 ? (extended.orientation ?? 1) : 1,
      icc: (flags & extendedFlag.icc) !== 0 && extended.icc ? [extended.icc] : [],
      compression: frame.compression,
    },
  };
}

function readExtendedChunk(
  view: DataView,
  chunk: WebpChunk,
  isAnimation: boolean,
  extended: Extended,
): Unreadable | undefined {
  switch (chunk.type) {
    case 'ICCP':
      extended.icc ??= { offset: chunk.start, length: chunk.end - chunk.start };
      return undefined;
    case 'EXIF':
      extended.orientation ??= exifOrientation(view, chunk.start, chunk.end) ?? 1;
      return undefined;
    case 'ANMF':
      if (!isAnimation) return undefined;
      extended.animationFrames++;
      return readAnimationFrame(view, chunk, extended);
    case 'ANIM':
      extended.hasAnimationChunk = true;
      return undefined;
    case 'ALPH':
      extended.hasAlphaChunk = true;
      return undefined;
  }
  if (isAnimation || extended.frame) return undefined;
  return keepFrame(readFrame(view, chunk), extended);
}

/** §2.7.1.1: 16 bytes of place, size and duration, then the chunks of the frame. */
function readAnimationFrame(
  view: DataView,
  anmf: WebpChunk,
  extended: Extended,
): Unreadable | undefined {
  const { canvas } = extended;
  if (!extended.hasAnimationChunk) return broken('The WebP does not say how it is animated.');
  const cursor = new ByteCursor(view, anmf.start, anmf.end, 'little');
  const [left, top] = [2 * cursor.uint24(), 2 * cursor.uint24()];
  const [width, height] = [cursor.uint24() + 1, cursor.uint24() + 1];
  cursor.skip(4);
  if (cursor.overrun) return broken('A WebP animation frame is cut short.');
  if (left + width > canvas.width || top + height > canvas.height) {
    return broken('A WebP animation frame reaches over its canvas.');
  }
  while (cursor.remaining > 0) {
    const chunk = nextChunk(cursor);
    if (!chunk) return broken(overlong);
    if (chunk.type === 'ALPH') extended.hasAlphaChunk = true;
    const frame = readFrame(view, chunk);
    if (!frame) continue;
    if (isUnreadable(frame)) return frame;
    extended.frame ??= frame;
    const isStated = frame.width === width && frame.height === height;
    return isStated ? undefined : broken('A WebP animation frame is not of the size it states.');
  }
  return broken('A WebP animation frame has no image.');
}

function keepFrame(
  frame: WebpFrame | Unreadable | undefined,
  extended: Extended,
): Unreadable | undefined {
  if (!frame) return undefined;
  if (isUnreadable(frame)) return frame;
  extended.frame = frame;
  return undefined;
}
