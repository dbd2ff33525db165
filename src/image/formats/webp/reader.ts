import type { AnimationFrame } from '../../animation/timeline.ts';
import { ByteCursor, type ByteRange, viewOf } from '../../container/byte-cursor.ts';
import { exifOrientation, type Orientation } from '../../metadata/exif-block.ts';
import { broken, isUnreadable, type Unreadable } from '../../refusal.ts';
import type { FrameTotals, Inspection, InspectionResult } from '../inspection.ts';

export interface WebpInspection extends Inspection {
  readonly type: 'webp';
  /** Compression of the first frame. */
  readonly compression: 'lossy' | 'lossless';
  /** The picture, or the first frame of an animation. */
  readonly picture: WebpPicture;
}

/** The location of a still picture or a frame in its file. */
export interface WebpPicture {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** The VP8 frame or VP8L stream. */
  readonly color: { readonly kind: 'lossy' | 'lossless'; readonly range: ByteRange };
  /** The ALPH data of a lossy picture; null if there is none. */
  readonly alpha: ByteRange | null;
  /** Whether pixels may be transparent; if not, any alpha samples are ignored. */
  readonly hasAlpha: boolean;
}

/** A frame of an animation. */
export interface WebpFrame extends AnimationFrame {
  readonly picture: WebpPicture;
}

const truncated = 'The WebP ends before the length that it states.';
const overlong = 'A WebP chunk is longer than what holds it.';

/** Maximum number of chunks: ten for each frame that an animation may have. Each takes CPU time, in milliseconds. */
const maxChunks = 100_000;
const chunkMs = 0.0002;

/** What has been read so far from the chunks after VP8X. */
interface Extended {
  /** Size in pixels. */
  readonly canvas: { readonly width: number; readonly height: number };
  /** Whether the header announces alpha; if not, ALPH chunks do not count. */
  readonly announcesAlpha: boolean;
  frame: FrameHeader | undefined;
  picture: WebpPicture | undefined;
  /** The most recent ALPH chunk. */
  alpha: WebpChunk | undefined;
  hasAnimationChunk: boolean;
  animationFrames: number;
  /** Coded pixels of all frames. */
  codedPixels: number;
  icc: ByteRange | undefined;
  orientation: Orientation | undefined;
}

/**
 * Reads chunk headers and the header of every frame. What is behind the picture, or behind the frames of an animation,
 * may be missing, whatever length the container states. Source: RFC 9649 §2.
 */
export function inspectWebp(view: DataView): InspectionResult<WebpInspection> {
  const { cursor, isTruncated } = openContainer(view);
  const first = nextChunk(cursor);
  if (!first) return broken(isTruncated ? truncated : overlong);
  if (first.type === 'VP8X') return inspectExtended(view, first, { cursor, isTruncated });
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
      picture: pictureOf(frame, first, undefined),
    },
  };
}

/**
 * Reads the extended format (§2.7). As in libwebp and in browsers, ICCP, EXIF and ALPH count only if their VP8X flag is
 * set. Without it, only a lossless bitstream may still state alpha.
 */
function inspectExtended(
  view: DataView,
  vp8x: WebpChunk,
  { cursor, isTruncated }: ReturnType<typeof openContainer>,
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
    announcesAlpha: (flags & extendedFlag.alpha) !== 0,
    frame: undefined,
    picture: undefined,
    alpha: undefined,
    hasAnimationChunk: false,
    animationFrames: 0,
    codedPixels: 0,
    icc: undefined,
    orientation: undefined,
  };
  const isAnimation = (flags & extendedFlag.animation) !== 0;
  let chunks = 0;
  for (; cursor.remaining > 0; chunks += 1) {
    if (chunks === maxChunks) return broken('The WebP has more chunks than any encoder writes.');
    const type = new ByteCursor(view, cursor.position, cursor.end).text(4);
    const chunk = nextChunk(cursor);
    if (!chunk) {
      if (extended.picture && type !== 'ANMF') break;
      return broken(isTruncated ? truncated : overlong);
    }
    const refusal = readExtendedChunk(view, chunk, isAnimation, extended);
    if (refusal) return refusal;
  }

  const { frame, picture } = extended;
  if (!frame || !picture) return broken('The WebP has no image.');
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
      hasAlpha: extended.announcesAlpha || frame.hasAlpha,
      isGrey: false,
      frames: isAnimation ? Math.max(2, extended.animationFrames) : 1,
      ...(isAnimation && { frameTotals: frameTotalsOf(extended) }),
      orientation: (flags & extendedFlag.exif) !== 0 ? (extended.orientation ?? 1) : 1,
      icc: (flags & extendedFlag.icc) !== 0 && extended.icc ? [extended.icc] : [],
      compression: frame.compression,
      picture,
      partsMs: chunkMs * chunks,
    },
  };
}

function frameTotalsOf({ animationFrames: frames, codedPixels }: Extended): FrameTotals {
  return { frames, codedPixels, restores: false };
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
      if (extended.announcesAlpha) extended.alpha = chunk;
      return undefined;
  }
  if (isAnimation || extended.frame) return undefined;
  const frame = readFrame(view, chunk);
  if (!frame || isUnreadable(frame)) return frame;
  keepFrame(frame, chunk, extended.alpha, extended);
  return undefined;
}

/** Reads a frame (§2.7.1.1): its position, its size and the chunks within. */
function readAnimationFrame(
  view: DataView,
  anmf: WebpChunk,
  extended: Extended,
): Unreadable | undefined {
  const { canvas } = extended;
  if (!extended.hasAnimationChunk) return broken('The WebP does not say how it is animated.');
  const { cursor, left, top, width, height } = openFrame(view, anmf);
  if (cursor.overrun) return broken('A WebP animation frame is cut short.');
  if (left + width > canvas.width || top + height > canvas.height) {
    return broken('A WebP animation frame reaches over its canvas.');
  }
  extended.codedPixels += width * height;
  let alpha: WebpChunk | undefined;
  while (cursor.remaining > 0) {
    const chunk = nextChunk(cursor);
    if (!chunk) return broken(overlong);
    if (chunk.type === 'ALPH' && extended.announcesAlpha) alpha = chunk;
    const frame = readFrame(view, chunk);
    if (!frame) continue;
    if (isUnreadable(frame)) return frame;
    if (!extended.frame) keepFrame(frame, chunk, alpha, extended);
    const isStated = frame.width === width && frame.height === height;
    return isStated ? undefined : broken('A WebP animation frame is not of the size it states.');
  }
  return broken('A WebP animation frame has no image.');
}

/** Reads the header of an ANMF chunk (position, size, duration), and moves the cursor to the chunks after it. */
function openFrame(view: DataView, anmf: WebpChunk) {
  const cursor = new ByteCursor(view, anmf.start, anmf.end, 'little');
  const [left, top] = [2 * cursor.uint24(), 2 * cursor.uint24()];
  const [width, height] = [cursor.uint24() + 1, cursor.uint24() + 1];
  const milliseconds = cursor.uint24();
  const flags = cursor.uint8();
  return { cursor, left, top, width, height, milliseconds, flags };
}

function keepFrame(
  frame: FrameHeader,
  chunk: WebpChunk,
  alpha: WebpChunk | undefined,
  extended: Extended,
): void {
  extended.frame = frame;
  extended.picture = pictureOf(frame, chunk, alpha);
}

function pictureOf(
  { compression, width, height, hasAlpha }: FrameHeader,
  chunk: WebpChunk,
  alpha: WebpChunk | undefined,
): WebpPicture {
  const color = { kind: compression, range: rangeOf(chunk) };
  if (compression === 'lossless') return { width, height, color, alpha: null, hasAlpha };
  return { width, height, color, alpha: alpha ? rangeOf(alpha) : null, hasAlpha: !!alpha };
}

function rangeOf({ start, end }: WebpChunk): ByteRange {
  return { offset: start, length: end - start };
}

/**
 * The frames of an animation in order, for a file that `inspectWebp` has accepted.
 * Source: RFC 9649 §2.7.1.1.
 */
export function* webpFrames(view: DataView): Generator<WebpFrame> {
  const { cursor } = openContainer(view);
  const hasAlpha = announcesAlpha(view);
  for (let chunk = nextChunk(cursor); chunk; chunk = nextChunk(cursor)) {
    const picture = chunk.type === 'ANMF' ? pictureWithin(view, chunk, hasAlpha) : undefined;
    if (picture) yield frameOf(view, chunk, picture);
  }
}

function frameOf(view: DataView, anmf: WebpChunk, picture: WebpPicture): WebpFrame {
  const { left, top, width, height, milliseconds, flags } = openFrame(view, anmf);
  return {
    region: { left, top, width, height },
    duration: { ticks: milliseconds, perSecond: 1000 },
    disposal: flags & frameFlag.clearsAfter ? 'background' : 'keep',
    blend: flags & frameFlag.replaces ? 'replace' : 'over',
    picture,
  };
}

/** The image chunks of a still file, padded to even lengths. */
export function imageChunks(file: Uint8Array): Uint8Array {
  const { cursor } = openContainer(viewOf(file));
  let [from, to] = [file.length, 0];
  for (let chunk = nextChunk(cursor); chunk; chunk = nextChunk(cursor)) {
    if (!['ALPH', 'VP8 ', 'VP8L'].includes(chunk.type)) continue;
    from = Math.min(from, chunk.start - chunkHeaderBytes);
    to = cursor.position;
  }
  return file.subarray(from, to);
}

/** How many times an animation is played; 0 for infinite. Source: RFC 9649 §2.7.1.1. */
export function webpPlays(view: DataView): number {
  const { cursor } = openContainer(view);
  for (let chunk = nextChunk(cursor); chunk; chunk = nextChunk(cursor)) {
    if (chunk.type !== 'ANIM') continue;
    const data = new ByteCursor(view, chunk.start, chunk.end, 'little');
    data.skip(4);
    return data.uint16();
  }
  return 0;
}

/** Whether the VP8X header of a file announces alpha, so that ALPH chunks count; false for the simple format. */
export function announcesAlpha(view: DataView): boolean {
  const { cursor } = openContainer(view);
  const first = nextChunk(cursor);
  if (first?.type !== 'VP8X') return false;
  return (new ByteCursor(view, first.start, first.end).uint8() & extendedFlag.alpha) !== 0;
}

function pictureWithin(
  view: DataView,
  anmf: WebpChunk,
  hasAlpha: boolean,
): WebpPicture | undefined {
  const { cursor } = openFrame(view, anmf);
  let alpha: WebpChunk | undefined;
  for (let chunk = nextChunk(cursor); chunk; chunk = nextChunk(cursor)) {
    if (chunk.type === 'ALPH' && hasAlpha) alpha = chunk;
    const frame = readFrame(view, chunk);
    if (frame && !isUnreadable(frame)) return pictureOf(frame, chunk, alpha);
  }
  return undefined;
}

/** Size of a chunk header: four characters of type, and the length. */
export const chunkHeaderBytes = 8;

/** `RIFF`, the length of what follows, and `WEBP`. */
const fileHeaderBytes = 12;

/** Bits of the first byte of a `VP8X` chunk (RFC 9649 §2.7.1.2). */
export const extendedFlag = {
  animation: 0x02,
  xmp: 0x04,
  exif: 0x08,
  alpha: 0x10,
  icc: 0x20,
} as const;

/** Bits of the last byte of a frame's header (RFC 9649 §2.7.1.1). */
export const frameFlag = { clearsAfter: 0x01, replaces: 0x02 } as const;

/** A chunk of a RIFF container (RFC 9649 §2.3). */
export interface WebpChunk {
  readonly type: string;
  /** File offsets of the payload, without the padding byte. */
  readonly start: number;
  readonly end: number;
}

/**
 * Opens the container of a file: returns a cursor at its first chunk, limited to the stated length of the container or
 * the end of the file. Bytes after the stated end belong to no chunk.
 */
export function openContainer(view: DataView): {
  readonly cursor: ByteCursor;
  /** Whether the file is shorter than it states. */
  readonly isTruncated: boolean;
} {
  const size = new ByteCursor(view, 4, chunkHeaderBytes, 'little').uint32();
  const end = chunkHeaderBytes + size;
  return {
    cursor: new ByteCursor(view, fileHeaderBytes, end, 'little'),
    isTruncated: end > view.byteLength || view.byteLength < fileHeaderBytes,
  };
}

/**
 * Reads the chunk at the cursor and moves past it; undefined if it is longer than what holds it. Payloads are padded to
 * even lengths; the very last padding byte is often forgotten. Every chunk takes 8 bytes at least, so a loop over
 * chunks always ends. Source: RFC 9649 §2.3.
 */
export function nextChunk(cursor: ByteCursor): WebpChunk | undefined {
  const type = cursor.text(4);
  const length = cursor.uint32();
  const start = cursor.position;
  if (cursor.overrun || length > cursor.remaining) return undefined;
  cursor.skip(Math.min(length + (length & 1), cursor.remaining));
  return { type, start, end: start + length };
}

interface FrameHeader {
  readonly compression: 'lossy' | 'lossless';
  /** Width and height in pixels, 1 to 16384. */
  readonly width: number;
  readonly height: number;
  /** Whether a lossless bitstream states that it uses alpha; lossy ones never contain it. */
  readonly hasAlpha: boolean;
}

/** Reads the header of the bitstream in a chunk; undefined if the chunk is not an image. */
export function readFrame(view: DataView, chunk: WebpChunk): FrameHeader | Unreadable | undefined {
  const data = new ByteCursor(view, chunk.start, chunk.end, 'little');
  if (chunk.type === 'VP8 ') return readLossyFrame(data);
  if (chunk.type === 'VP8L') return readLosslessFrame(data);
  return undefined;
}

/** Reads the frame header of a `VP8 ` chunk. Source: RFC 6386 §9.1. */
function readLossyFrame(data: ByteCursor): FrameHeader | Unreadable {
  const tag = data.uint24();
  const startCode = data.uint24();
  const width = data.uint16() & 0x3fff;
  const height = data.uint16() & 0x3fff;
  if (data.overrun) return broken('The lossy WebP image ends inside its header.');
  const isKeyFrame = (tag & 1) === 0;
  const version = (tag >> 1) & 7;
  const isShown = ((tag >> 4) & 1) === 1;
  if (!isKeyFrame || !isShown || version > 3 || startCode !== 0x2a019d) {
    return broken('The lossy WebP image does not begin with a valid key frame.');
  }
  if (width === 0 || height === 0) return broken('The WebP has a width or height of zero.');
  return { compression: 'lossy', width, height, hasAlpha: false };
}

/** Reads the header of a `VP8L` chunk. Source: RFC 9649 §3.4. */
function readLosslessFrame(data: ByteCursor): FrameHeader | Unreadable {
  const signature = data.uint8();
  const bits = data.uint32();
  if (data.overrun) return broken('The lossless WebP image ends inside its header.');
  if (signature !== 0x2f || bits >>> 29 !== 0) {
    return broken('The lossless WebP image does not begin with a valid header.');
  }
  return {
    compression: 'lossless',
    width: (bits & 0x3fff) + 1,
    height: ((bits >>> 14) & 0x3fff) + 1,
    hasAlpha: ((bits >>> 28) & 1) === 1,
  };
}
