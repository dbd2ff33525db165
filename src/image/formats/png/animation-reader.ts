import type { AnimationFrame, Disposal } from '../../animation/timeline.ts';
import { ByteCursor, viewOf } from '../../container/byte-cursor.ts';
import type { AnimationReader } from '../animation-format.ts';
import { hasValidChecksum, type PngChunk } from './chunks.ts';
import { pngReadingMs } from './cpu.ts';
import { isAnimationHeader, type PngInspection } from './inspect.ts';
import { damagedPng } from './kernel.ts';
import { pngReadingBytes } from './memory.ts';
import { type DataPlace, defaultImage, openPngRows, soundChunks } from './read.ts';
import { rewrappedPng } from './rewrap.ts';

/** A frame of an APNG. */
export interface PngFrameHeader extends AnimationFrame {
  /** The location of its image data. */
  readonly data: DataPlace;
}

/** Reads an APNG frame by frame (PNG third edition §11.3.6). */
export const pngAnimationReader: AnimationReader<PngInspection, PngFrameHeader> = {
  rewrapped: rewrappedPng,
  plays: (file) => animationOf(file).plays,
  frames: pngFrames,
  cpuMs(image, fileBytes) {
    const height = (image.frameTotals?.codedPixels ?? 0) / image.width;
    return image.frames + pngReadingMs({ ...image, height }, fileBytes);
  },
  // No frame is wider than the canvas.
  arenaBytes: pngReadingBytes,
  open: (file, image, { region, data }, memory, use, deepSamples = null) =>
    openPngRows(
      file,
      { ...image, width: region.width, height: region.height },
      deepSamples,
      memory,
      use,
      data,
    ),
  substitute: {
    isThere: ({ hasSubstitute }) => hasSubstitute,
    open: (file, image, memory, use) => openPngRows(file, image, null, memory, use),
  },
};

/** The contents of acTL; if there are several, the one with the most frames. */
function animationOf(file: Uint8Array): { frames: number; plays: number } {
  let found = { frames: 0, plays: 0 };
  for (const chunk of soundChunks(file)) {
    const { type, start } = chunk;
    if (type === 'IDAT') break;
    if (type !== 'acTL' || !isAnimationHeader(file, chunk)) continue;
    const view = viewOf(file);
    const frames = view.getUint32(start);
    if (frames > found.frames) found = { frames, plays: view.getUint32(start + 4) };
  }
  return found;
}

/**
 * Yields the frames. Sequence numbers have to ascend without gaps, and there must be as many frames as acTL states
 * (§11.3.6.2).
 * @throws CodecError if these rules are violated, or a frame exceeds the canvas or has no data
 */
function* pngFrames(file: Uint8Array, image: PngInspection): Generator<PngFrameHeader> {
  const { frames } = animationOf(file);
  let [count, number] = [0, 0];
  let control: PngChunk | undefined;
  const expectNumber = (chunk: PngChunk) => {
    const isLong = chunk.end - chunk.start >= 4;
    if (!isLong || viewOf(file).getUint32(chunk.start) !== number) {
      throw damagedPng('a chunk of an animation has a wrong number');
    }
    number += 1;
  };
  for (const chunk of soundChunks(file)) {
    if (chunk.type === 'fcTL') {
      if (control) throw damagedPng('a frame has no data');
      expectNumber(chunk);
      if (!hasValidChecksum(file, chunk)) throw damagedPng('the checksum of a frame is wrong');
      control = chunk;
    }
    if (chunk.type === 'fdAT') expectNumber(chunk);
    const isData = chunk.type === 'fdAT' || chunk.type === 'IDAT';
    if (!isData || !control) continue;
    count += 1;
    yield frameOf(file, image, control, chunk);
    control = undefined;
  }
  if (control || count !== frames) throw damagedPng('frames are missing, or there are too many');
}

/** §11.3.6.2 */
function frameOf(
  file: Uint8Array,
  image: PngInspection,
  control: PngChunk,
  first: PngChunk,
): PngFrameHeader {
  const data = new ByteCursor(viewOf(file), control.start + 4, control.end);
  const [width, height] = [data.uint32(), data.uint32()];
  const [left, top] = [data.uint32(), data.uint32()];
  const [ticks, perSecond] = [data.uint16(), data.uint16()];
  const disposal = disposals[data.uint8()];
  const blend = blends[data.uint8()];
  const isInside =
    width > 0 && height > 0 && left + width <= image.width && top + height <= image.height;
  const isDefault = first.type === 'IDAT';
  const isWhole = width === image.width && height === image.height;
  if (data.overrun || !isInside || !disposal || !blend || (isDefault && !isWhole)) {
    throw damagedPng('the header of a frame makes no sense');
  }
  return {
    region: { left, top, width, height },
    duration: { ticks, perSecond: perSecond === 0 ? 100 : perSecond },
    disposal,
    blend,
    data: isDefault ? defaultImage : { type: 'fdAT', from: first.at },
  };
}

const disposals: readonly Disposal[] = ['keep', 'background', 'previous'];
const blends: readonly AnimationFrame['blend'][] = ['replace', 'over'];
