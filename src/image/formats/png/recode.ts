import type { Slices } from '../../slices.ts';
import { arena, sideArena } from '../../wasm/arena.ts';
import { arenaCeiling } from '../../wasm/budgets.ts';
import { ExcessiveWork } from '../../wasm/codec.ts';
import { copiedOut } from '../../wasm/run-in-arena.ts';
import { usualSpeed } from '../coding.ts';
import type { Recoder, RecodeSettings } from '../format.ts';
import type { Source } from '../inspection.ts';
import { finishedUntouched, keptAppearance, untouched } from '../passthrough.ts';
import { pngParts } from './coded-png.ts';
import { pngRecodingMs } from './cpu.ts';
import { effortAt, type PngRequest, recodePng, type WrittenPng } from './encode.ts';
import type { PngInspection } from './inspect.ts';
import { runPngKernel } from './kernel.ts';
import { sampleKinds } from './layout.ts';
import { mayQuantize, pngRecodingBytes, pngScoringBytes } from './memory.ts';
import { paletteTarget } from './palette-candidates.ts';
import { ImageData, PngSource, pngColors } from './read.ts';
import { pngPreamble, rewrappedPng } from './rewrap.ts';
import { KernelStreams } from './streams.ts';

/** Recodes a PNG to a PNG of its own size: rows flow from one to the other. */
export const pngRecoder: Recoder<PngInspection> = {
  engine: 'png-stream',
  speeds: [1],
  arenaBytes: ({ image, fileBytes }, { quality }) =>
    pngRecodingBytes(image, fileBytes, { isLossy: quality !== 'lossless' }),
  sideBytes: ({ image }, settings) => pngScoringBytes(image, settings),
  cpuMs({ image, fileBytes }, settings) {
    const { quality, speed = usualSpeed } = settings;
    const isScored = pngScoringBytes(image, settings) > 0;
    return pngRecodingMs(image, fileBytes, { quality, isScored, speed });
  },
  *recode(file, source, settings, keeping, makeWay) {
    const { image } = source;
    const preamble = pngPreamble(image, file, keptAppearance(source, keeping));
    const original = untouched(file, source, keeping, (appearance) =>
      rewrappedPng(image, file, appearance),
    );
    const request = requestFor(file, source, settings, { preamble, maxBytes: original.length - 1 });
    const recoded = yield* unlessExcessive(recodedFile(file, image, request));
    if (!recoded) return finishedUntouched(original, makeWay);
    const { stream, frame, isExact, score } = recoded;
    const bytes = copiedOut(pngParts(frame, preamble, stream), makeWay);
    const quality = isExact ? 'lossless' : settings.quality;
    return { kind: 'finished', bytes, quality, ...(score !== null && { score }), isComplete: true };
  },
};

/** Null if the file has far more blocks than any encoder writes: then it stays as it is, as browsers show it. */
function* unlessExcessive(recoding: Slices<WrittenPng | null>): Slices<WrittenPng | null> {
  try {
    return yield* recoding;
  } catch (error) {
    if (!(error instanceof ExcessiveWork)) throw error;
    return null;
  }
}

function requestFor(
  file: Uint8Array,
  { image, icc }: Source<PngInspection>,
  { quality, exact, minScore, speed = usualSpeed }: RecodeSettings,
  { preamble, maxBytes }: Pick<PngRequest, 'preamble' | 'maxBytes'>,
): Omit<PngRequest, 'store'> {
  const { transparency } = pngColors(file, image);
  const isKey = (image.colorType === 0 || image.colorType === 2) && transparency.length > 0;
  return {
    palette:
      quality === 'lossless' || !mayQuantize(image) ? null : paletteTarget(quality, minScore),
    keepsHidden: exact,
    keepsDepth: quality === 'lossless',
    kinds: sampleKinds(icc),
    ownKey: isKey ? transparency.slice() : null,
    effort: effortAt(speed),
    holdsIndices: true,
    scoring: minScore === undefined ? null : sideArena,
    omitsWithoutRoom: arena.reserved >= arenaCeiling,
    preamble,
    maxBytes,
  };
}

function* recodedFile(
  file: Uint8Array,
  image: PngInspection,
  request: Omit<PngRequest, 'store'>,
): Slices<WrittenPng | null> {
  const data = new ImageData(file);
  return yield* runPngKernel(data, function* (kernel) {
    const rows = new PngSource(kernel, data, image);
    const deepRows = image.bitDepth === 16 ? rows : null;
    return yield* recodePng(kernel, rows, deepRows, {
      ...request,
      store: new KernelStreams(kernel),
    });
  });
}
