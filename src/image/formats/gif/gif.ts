import { viewOf } from '../../container/byte-cursor.ts';
import type { Size } from '../../pixels/raster.ts';
import type { AnimationReader } from '../animation-format.ts';
import type { RowDecoder } from '../coding.ts';
import type { Format, Reader, Writer } from '../format.ts';
import { codedPictures, gifCanvasReadingMs, gifDetail, gifReadingMs } from './cpu.ts';
import { gifFacts } from './facts.ts';
import { type GifFrame, type GifInspection, gifFrames, gifPlays, inspectGif } from './reader.ts';
import { gifRecoder } from './recode.ts';
import { readGifMetadata, rewrapGif, rewrappedGif } from './rewrap.ts';
import { canvasRowBytes, longestRowBytes, openCanvasRows, openFrameRows } from './rows.ts';
import { gifAnimationWriter } from './writer.ts';

const decoder: RowDecoder<GifInspection> = {
  arenaBytes: canvasRowBytes,
  cpuMs: gifCanvasReadingMs,
  maxHalvings: 0,
  halvingsFor: () => 0,
  open: (file, image, _how, memory, use) => openCanvasRows(file, image, memory, use),
};

const animation: AnimationReader<GifInspection, GifFrame> = {
  rewrapped: (_image, file, appearance) => rewrappedGif(file, appearance),
  plays: (file) => gifPlays(viewOf(file)),
  frames: (file, image) => gifFrames(viewOf(file), image),
  cpuMs: (image, fileBytes) => gifReadingMs(codedPictures(image), fileBytes),
  arenaBytes: longestRowBytes,
  open: (file, _image, frame, memory, use) => openFrameRows(file, frame, memory, use),
};

/** Estimates the coded pixels of a file of another size, in proportion. */
function resized(
  { width, height, picture, codedPixels, interlacedPixels }: GifInspection,
  size: Size,
): Pick<GifInspection, 'picture' | 'codedPixels' | 'interlacedPixels'> {
  const share = (size.width * size.height) / (width * height);
  return {
    picture: { ...picture, region: { left: 0, top: 0, ...size } },
    codedPixels: share * codedPixels,
    interlacedPixels: share * interlacedPixels,
  };
}

const read: Reader<GifInspection> = {
  inspect: (file) => inspectGif(viewOf(file)),
  samples: ({ bitDepth }) => ({ kind: 'rgb', bitDepth, profiles: [], stated: null }),
  profile: () => null,
  withSize: (image, size) => ({ ...image, ...size, ...resized(image, size) }),
  metadata: readGifMetadata,
  rewrap: rewrapGif,
  decoder,
  detail: gifDetail,
  candidates: (_source, { quality, exact }) => [{ kind: 'recode', quality, exact }],
  recoder: gifRecoder,
  animation,
};

const write: Writer = {
  encoders: () => [],
  animation: gifAnimationWriter,
};

/** GIF: GIF89a (W3C), and GIF87a, which it includes. */
export const gif = { facts: gifFacts, read, write } as const satisfies Format<GifInspection>;
