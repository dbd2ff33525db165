import type { Keeping } from '../../metadata/carried.ts';
import type { Source } from '../../pipeline/read-source.ts';
import type { Refusal } from '../../refusal.ts';
import { arena } from '../../wasm/codec.ts';
import { arenaCeiling, type Peak } from '../../wasm/memory-ledger.ts';
import { copiedOut, type ReleaseFile, withinArena } from '../../wasm/run-in-arena.ts';
import type { Finished, Quality } from '../format.ts';
import { finishedUntouched, keptAppearance, untouched } from '../passthrough.ts';
import { pngParts } from './coded-png.ts';
import { type PngRequest, type RecodedPng, recodePng } from './encode.ts';
import type { PngInspection } from './inspect.ts';
import { runPngKernel } from './kernel.ts';
import { sampleKinds } from './layout.ts';
import { mayQuantize, pngRecodingBytes } from './memory.ts';
import { paletteTarget } from './palette-candidates.ts';
import { ImageData, PngSource, pngColors } from './read.ts';
import { pngPreamble, rewrappedPng } from './rewrap.ts';

/** PNG to PNG in its own size: rows flow from one to the other. */
export interface PngStreamJob {
  readonly engine: 'png-stream';
  /** `lossless`: what is seen stays as it is, in all its bits. */
  readonly quality: Quality;
  /** What nobody sees stays, too. */
  readonly exact: boolean;
  /** No other candidate needs the file: it makes way for the result. */
  readonly isAlone: boolean;
}

/** A PNG, as the jobs of this engine have it. */
type SourceOfPng = Source & { readonly image: PngInspection };

/** Predicted memory of a job, the file itself not counted. Until it is complete, the result lies in the arena. */
export function pngStreamPeak(source: Source, { quality, isAlone }: PngStreamJob): Peak {
  const { fileBytes } = source;
  const settings = { isLossy: quality !== 'lossless' };
  return {
    arena: pngRecodingBytes(pngIn(source).image, fileBytes, settings),
    buffers: isAlone ? 0 : fileBytes,
  };
}

/**
 * Writes a PNG anew, or gives it back with its coded picture untouched where that would not make it
 * smaller: with the profile, the orientation and the metadata that belong to the answer, so that
 * there is no second copy of a large one.
 */
export function runPngStream(
  file: Uint8Array<ArrayBuffer>,
  source: Source,
  job: PngStreamJob,
  { keeping, releaseFile }: { readonly keeping: Keeping; readonly releaseFile: ReleaseFile },
): Finished | Refusal {
  const { image } = pngIn(source);
  return withinArena(pngStreamPeak(source, job), () => {
    const preamble = pngPreamble(image, file, keptAppearance(source, keeping));
    const original = untouched(file, source, keeping, (appearance) =>
      rewrappedPng(image, file, appearance),
    );
    const request = requestFor(file, pngIn(source), job, { preamble, most: original.length - 1 });
    const recoded = recodedFile(file, image, request);
    const makeWay = job.isAlone ? releaseFile : () => null;
    if (recoded) {
      const { stream, frame, isExact } = recoded;
      const inArena = new Uint8Array(arena.memory.buffer, stream.at, stream.length);
      const bytes = copiedOut(pngParts(frame, preamble, inArena), makeWay);
      const quality = isExact ? 'lossless' : job.quality;
      return { kind: 'finished', bytes, quality, isComplete: true } as const;
    }
    return finishedUntouched(original, makeWay);
  });
}

function requestFor(
  file: Uint8Array,
  { image, icc }: SourceOfPng,
  { quality, exact }: PngStreamJob,
  { preamble, most }: Pick<PngRequest, 'preamble' | 'most'>,
): PngRequest {
  const { transparency } = pngColors(file);
  const isKey = (image.colorType === 0 || image.colorType === 2) && transparency.length > 0;
  return {
    palette: quality === 'lossless' || !mayQuantize(image) ? null : paletteTarget(quality),
    keepsHidden: exact,
    keepsDepth: quality === 'lossless',
    kinds: sampleKinds(icc),
    ownKey: isKey ? transparency.slice() : null,
    mayBeCramped: arena.bytes >= arenaCeiling,
    preamble,
    most,
  };
}

function recodedFile(
  file: Uint8Array,
  image: PngInspection,
  request: PngRequest,
): RecodedPng | null {
  const data = new ImageData(file);
  return runPngKernel(data, (kernel) => {
    const rows = new PngSource(kernel, data, image);
    return recodePng(kernel, rows, image.bitDepth === 16 ? rows : null, request);
  });
}

function pngIn(source: Source): SourceOfPng {
  const { image } = source;
  if (image.type !== 'png') throw new TypeError('not a PNG');
  return { ...source, image };
}
