import { isNearLinear } from '../../color/curves.ts';
import type { SampleStatement, SourceColor } from '../../color/source-color.ts';
import { viewOf } from '../../container/byte-cursor.ts';
import { refuseImage } from '../../refusal.ts';
import type { RowDecoder } from '../coding.ts';
import type { Format, Reader, Writer } from '../format.ts';
import type { Quality } from '../inspection.ts';
import { pngAnimationReader } from './animation-reader.ts';
import { pngAnimationWriter } from './animation-writer.ts';
import { storedPngProfile } from './color-chunks.ts';
import { pngDetail, pngReadingMs } from './cpu.ts';
import { pngDrainingEncoder, pngRowEncoder } from './encode-rows.ts';
import { pngFacts } from './facts.ts';
import { inspectPng, type PngInspection } from './inspect.ts';
import { pngReadingBytes } from './memory.ts';
import { isTextBomb, pngMetadata } from './metadata.ts';
import { openPngRows } from './read.ts';
import { pngRecoder } from './recode.ts';
import { rewrapPng } from './rewrap.ts';

const decoder: RowDecoder<PngInspection> = {
  arenaBytes: pngReadingBytes,
  cpuMs: pngReadingMs,
  maxHalvings: 0,
  halvingsFor: () => 0,
  open: (file, image, { deepSamples }, memory, use) =>
    openPngRows(file, image, deepSamples, memory, use),
};

const read: Reader<PngInspection> = {
  inspect: (file) => inspectPng(viewOf(file)),
  /** A profile only applies if its chunk takes precedence, and to its own kind of samples (§4.3, §11.3.2.3). */
  samples(image) {
    const kind = image.isGrey ? 'grey' : 'rgb';
    const profiles = image.colorChunk === 'iCCP' ? ([kind] as const) : [];
    return { kind, bitDepth: image.bitDepth, profiles, stated: stated(image) };
  },
  profile: (file, { icc }) => storedPngProfile(file, icc),
  hasPackedProfile: true,
  *findHarm(file) {
    return (yield* isTextBomb(file)) ? refuseImage(bombDetail) : null;
  },
  metadata: pngMetadata,
  rewrap: rewrapPng,
  decoder,
  detail: pngDetail,
  animation: pngAnimationReader,
  candidates: ({ color }, { quality, exact }) => [
    { kind: 'recode', quality: effectiveQuality(quality, color), exact },
  ],
  recoder: pngRecoder,
};

const bombDetail =
  'The PNG has texts that unpack to more than 32 MiB, or are packed as no encoder does.';

/** cHRM without gAMA is ignored, as in browsers (PNG third edition §4.3 pairs them). */
function stated({
  colorChunk,
  cicp,
  gamma,
  chromaticities,
}: PngInspection): SampleStatement['stated'] {
  switch (colorChunk) {
    case 'cICP':
      return cicp && { kind: 'code-points', ...cicp, cameraCurves: 'bt1886' };
    // If the profile is unusable, the chunk of the next precedence applies.
    case 'iCCP':
    case 'gAMA':
      return gamma === null ? null : { kind: 'gamma', gamma, chromaticities };
    case 'sRGB':
    case null:
      return null;
  }
}

/** Palette colors are compared as sRGB, so all colors are kept if codes represent light in a very different way. */
function effectiveQuality(quality: Quality, color: SourceColor): Quality {
  const isComparable = !color.obstacle && !color.curves.some(isNearLinear);
  return isComparable && quality !== 100 ? quality : 'lossless';
}

const write: Writer = {
  encoders: (shape, coding) => [pngRowEncoder(shape, coding)],
  asideEncoders: (shape, coding) => [pngDrainingEncoder(shape, coding)],
  speeds: [1],
  animation: pngAnimationWriter,
  effectiveQuality,
};

/** PNG, third edition (W3C), with APNG. */
export const png = { facts: pngFacts, read, write } as const satisfies Format<PngInspection>;
