import type { AnimationFrame, Disposal } from '../../animation/timeline.ts';
import type { ByteRange } from '../../container/byte-cursor.ts';
import type { Region, Size } from '../../pixels/raster.ts';
import { broken } from '../../refusal.ts';
import type { Inspection, InspectionResult } from '../inspection.ts';
import {
  type BlocksEnd,
  type CodedImage,
  type Control,
  type GifHeader,
  gifBlocks,
  readHeader,
} from './blocks.ts';

export interface GifInspection extends Inspection {
  readonly type: 'gif';
  /** The still picture, or that of the first frame. */
  readonly picture: GifPicture;
  /** Total pixels of all coded frames, including pixels outside the canvas. */
  readonly codedPixels: number;
  /** The part of `codedPixels` that belongs to interlaced frames. */
  readonly interlacedPixels: number;
  /** The number of sub-blocks beyond those that encoders write, in all frames; default: 0. */
  readonly spareSubBlocks?: number;
}

/** Where the data of a still picture or of a frame are in the file. */
export interface GifPicture {
  /** The coded region, which may extend beyond the canvas. */
  readonly region: Region;
  readonly isInterlaced: boolean;
  /** Three bytes per color. */
  readonly table: ByteRange;
  /** The transparent index; -1: none. Indices beyond the table are black. */
  readonly transparent: number;
  /** Bits per index, 1 to 11, of which the lowest 8 count. */
  readonly minCodeSize: number;
  /** Sub-blocks, usually with their terminator. */
  readonly data: ByteRange;
  /** The number of sub-blocks beyond those that encoders write; default: 0. */
  readonly spareSubBlocks?: number;
}

/** A frame of an animation. One that draws nothing has a region of one pixel. */
export interface GifFrame extends AnimationFrame {
  readonly picture: GifPicture;
  /** Whether the frame is outside the canvas, or has no pixels, and draws nothing. */
  readonly isOutside: boolean;
}

/**
 * Reads the headers of all blocks. Later frames are clipped to the canvas, as in browsers; the first one extends it. A
 * frame without pixels lasts as long as it says.
 *
 * Source: GIF89a (W3C); where it is silent, Chromium's decoder.
 */
export function inspectGif(view: DataView): InspectionResult<GifInspection> {
  const header = readHeader(view);
  if (!header) return broken('The GIF ends inside its header.');
  let first: GifPicture | undefined;
  let frames = 0;
  let codedPixels = 0;
  let interlacedPixels = 0;
  let spareSubBlocks = 0;
  let localColors = 0;
  let hasAlpha = false;
  let mayReveal = false;
  let mayExceedTable = false;
  let restores = false;
  const images = codedImages(view, header);
  let next = images.next();
  for (; !next.done; next = images.next()) {
    const { image, control } = next.value;
    const fault = faultOf(image, header);
    if (fault) return broken(fault);
    const picture = pictureOf(image, control, header);
    frames += 1;
    if (isEmpty(picture.region)) {
      hasAlpha ||= frames === 1;
      continue;
    }
    const pixels = image.width * image.height;
    codedPixels += pixels;
    if (image.isInterlaced) interlacedPixels += pixels;
    spareSubBlocks += picture.spareSubBlocks ?? 0;
    localColors += (image.localTable?.length ?? 0) / 3;
    hasAlpha ||= mayReveal || picture.transparent >= 0;
    mayExceedTable ||= hasFewColors(picture);
    const disposal = disposalOf(control, frames === 1);
    mayReveal = disposal !== 'keep';
    restores ||= disposal === 'previous';
    first ??= picture;
  }
  if (next.value === 'cut') return broken('The GIF ends inside a block.');
  if (next.value === 'many') return broken('The GIF has more blocks than any encoder writes.');
  if (!first) return broken('The GIF has no image.');
  const { width, height } = canvasOf(header, first.region);
  const maxColors = localColors + (header.globalTable?.length ?? 0) / 3 + (mayExceedTable ? 1 : 0);
  return {
    kind: 'image',
    image: {
      type: 'gif',
      width,
      height,
      bitDepth: 8,
      hasAlpha: hasAlpha || first.region.width < width || first.region.height < height,
      isGrey: false,
      frames,
      ...(frames > 1 && { frameTotals: { frames, codedPixels, restores, maxColors } }),
      orientation: 1,
      icc: [],
      picture: first,
      codedPixels,
      interlacedPixels,
      spareSubBlocks,
    },
  };
}

/**
 * Yields the frames of an animation in order, for a file that `inspectGif` has accepted.
 * @param canvas size found by `inspectGif`
 */
export function* gifFrames(view: DataView, canvas: Size): Generator<GifFrame> {
  const header = readHeader(view);
  if (!header) return;
  let isFirst = true;
  for (const { image, control } of codedImages(view, header)) {
    const picture = pictureOf(image, control, header);
    const region = commonRegion(picture.region, canvas);
    yield {
      picture,
      isOutside: region === null,
      region: region ?? { left: 0, top: 0, width: 1, height: 1 },
      duration: { ticks: control.delay, perSecond: 100 },
      disposal: region === null ? 'keep' : disposalOf(control, isFirst),
      blend: 'over',
    };
    isFirst = false;
  }
}

/** How often an animation plays; 0: forever. The last loop block counts, as in browsers. */
export function gifPlays(view: DataView): number {
  const header = readHeader(view);
  let plays = 1;
  if (!header) return plays;
  for (const block of gifBlocks(view, header.end)) {
    if (block.kind === 'loop') plays = block.count === 0 ? 0 : block.count + 1;
  }
  return plays;
}

/** The defaults for an image without a control extension. */
const noControl: Control = { disposal: 0, delay: 0, transparent: -1 };

/** Yields each image with the last control extension before it. */
function* codedImages(
  view: DataView,
  { end }: GifHeader,
): Generator<{ readonly image: CodedImage; readonly control: Control }, BlocksEnd> {
  const blocks = gifBlocks(view, end);
  let control = noControl;
  let next = blocks.next();
  for (; !next.done; next = blocks.next()) {
    const block = next.value;
    if (block.kind === 'control') control = block.control;
    if (block.kind !== 'image') continue;
    yield { image: block.image, control };
    control = noControl;
  }
  return next.value;
}

/** Why an image cannot be decoded, regardless of its data. */
function faultOf(image: CodedImage, { globalTable }: GifHeader): string | undefined {
  const { localTable, minCodeSize } = image;
  if (isEmpty(image)) return undefined;
  if (!(localTable ?? globalTable)) return 'A GIF image has no colour table.';
  if (minCodeSize < 1 || minCodeSize > maxCodeSize) {
    return 'The data of a GIF image have no valid code size.';
  }
  return undefined;
}

/** Firefox and WebKit read all sizes below the maximum length of a code. */
const maxCodeSize = 11;

/** Whether an image has no pixels; Chromium and Firefox draw nothing then. */
function isEmpty({ width, height }: Size): boolean {
  return width === 0 || height === 0;
}

const noTable: ByteRange = { offset: 0, length: 0 };

function pictureOf(image: CodedImage, { transparent }: Control, header: GifHeader): GifPicture {
  const { left, top, width, height, isInterlaced, localTable, data } = image;
  const table = localTable ?? header.globalTable ?? noTable;
  const region = { left, top, width, height };
  const minCodeSize = isEmpty(region) ? 2 : image.minCodeSize;
  const spare = image.subBlocks - Math.ceil(data.length / usualSubBlockBytes);
  const spareSubBlocks = Math.max(0, spare);
  return { region, isInterlaced, table, transparent, minCodeSize, data, spareSubBlocks };
}

/** Encoders fill sub-blocks to 254 or 255 bytes. */
const usualSubBlockBytes = 128;

/** Whether the data may contain indices beyond the table. */
function hasFewColors({ table, minCodeSize }: GifPicture): boolean {
  return table.length < 3 * 2 ** minCodeSize;
}

/**
 * GIF89a §23 defines values up to 3; browsers treat 4, found in old files, like 3. The first frame has no previous
 * state to restore.
 */
function disposalOf({ disposal }: Control, isFirst: boolean): Disposal {
  if (disposal === 2) return 'background';
  if (disposal === 3 || disposal === 4) return isFirst ? 'background' : 'previous';
  return 'keep';
}

/** Size of the canvas: the first frame may be larger than the logical screen, or extend beyond it. */
function canvasOf({ width, height }: GifHeader, first: Region): Size {
  return {
    width: Math.max(width, first.left + first.width),
    height: Math.max(height, first.top + first.height),
  };
}

/** The part of a region that is on the canvas; null if there is none. */
function commonRegion({ left, top, width, height }: Region, canvas: Size): Region | null {
  const right = Math.min(left + width, canvas.width);
  const bottom = Math.min(top + height, canvas.height);
  if (left >= right || top >= bottom) return null;
  return { left, top, width: right - left, height: bottom - top };
}
