import { storedProfile } from '../../color/icc-reader.ts';
import { assemble, ContainerError, lengthOf } from '../../container/assemble.ts';
import { freeMemory } from '../../container/workspace.ts';
import type { Keeping } from '../../metadata/carried.ts';
import { noMetadata } from '../../metadata/metadata.ts';
import type { Slices } from '../../slices.ts';
import { arena } from '../../wasm/arena.ts';
import { arenaCeiling } from '../../wasm/budgets.ts';
import { CodecError } from '../../wasm/codec.ts';
import { copiedOut, type ReleaseFile } from '../../wasm/run-in-arena.ts';
import type { Finished, Recoder, RecodeSettings } from '../format.ts';
import type { Appearance, GainMapRole, Source } from '../inspection.ts';
import { finishedUntouched, keptAppearance, untouched } from '../passthrough.ts';
import { jpegCopyingMs, jpegRecodingMs } from './cpu.ts';
import { cutOutJpeg } from './cut-out.ts';
import type { JpegGainMap, JpegInspection } from './inspect.ts';
import { jpegRecodingBytes } from './memory.ts';
import { recodeJpeg } from './recode.ts';
import { gainMapBytes, jpegHead, rewrappedJpeg, withGainMap } from './rewrap.ts';

/**
 * Recodes coefficients: a JPEG that keeps its size is never decoded to pixels. Its gain map is recoded first, and held
 * in a buffer.
 */
export const recoder: Recoder<JpegInspection> = {
  engine: 'jpeg-coefficients',
  arenaBytes({ image, fileBytes }, settings) {
    const map = keptGainMap(image, settings);
    const own = jpegRecodingBytes(image, fileBytes, settings.quality);
    return map ? Math.max(own, jpegRecodingBytes(map.image, map.at.length, 'lossless')) : own;
  },
  bufferBytes({ image }, settings) {
    const map = keptGainMap(image, settings);
    return map ? map.at.length + maxGainMapGrowth : 0;
  },
  cpuMs({ image, fileBytes }, settings) {
    const map = keptGainMap(image, settings);
    const own = jpegRecodingMs(image, fileBytes, settings.quality);
    return map ? own + jpegRecodingMs(map.image, map.at.length, 'lossless') : own;
  },
  cutOut: (file, { image }, parts, slotHeight) => cutOutJpeg(file, image, parts, slotHeight),
  *recode(file, source, settings, keeping, makeWay) {
    const kept = keptGainMap(source.image, settings);
    const map = kept && (yield* recodedGainMap(file, kept));
    const job = { file, source, quality: settings.quality, keeping, makeWay };
    if (!kept || !map) return yield* recoded(job, null);
    try {
      return yield* recoded(job, { kind: 'picture', statement: kept.statement, map });
    } finally {
      freeMemory(map);
    }
  },
};

/** Maximum growth in bytes of rewritten gain map metadata. */
const maxGainMapGrowth = 2048;

function keptGainMap(
  { gainMap }: JpegInspection,
  { keepsGainMap }: RecodeSettings,
): JpegGainMap | null {
  return keepsGainMap && gainMap && gainMap !== 'bound' ? gainMap : null;
}

/** The settings for recoding a picture with or without its gain map. */
interface RecodingJob extends Pick<RecodeSettings, 'quality'> {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly source: Source<JpegInspection>;
  readonly keeping: Keeping;
  readonly makeWay: ReleaseFile;
}

/** Recodes the picture, followed by this gain map; without it if the file would grow. */
function* recoded(job: RecodingJob, gainMap: GainMapRole | null): Slices<Finished> {
  const { file, source, quality, keeping, makeWay } = job;
  const withRole = (appearance: Appearance) => (gainMap ? { ...appearance, gainMap } : appearance);
  const original = untouched(file, source, keeping, (appearance) =>
    rewrappedJpeg(file, withRole(appearance)),
  );
  if (gainMap && original.length > file.length) return yield* recoded(job, null);
  yield jpegCopyingMs(original.length);
  const appearance = withRole(keptAppearance(source, keeping));
  const head = jpegHead(file, appearance);
  const picture = yield* recodeJpeg(file, source.image, {
    quality,
    head,
    originalBytes: original.length - gainMapBytes(appearance),
    mayStream: arena.reserved >= arenaCeiling,
  });
  if (!picture) return finishedUntouched(original, makeWay);
  const parts = withGainMap([picture.bytes], head.length, appearance);
  const bytes = copiedOut(parts, makeWay);
  return { kind: 'finished', bytes, quality: picture.quality, isComplete: true };
}

/**
 * Recodes a gain map in its own size losslessly, keeping no metadata except that of the gain map.
 *
 * @returns null if the gain map is damaged or takes more memory than can be available
 * @throws CodecError if it takes more memory than is reserved, and more may be available
 */
function* recodedGainMap(
  file: Uint8Array<ArrayBuffer>,
  { at, image, statement }: JpegGainMap,
): Slices<Uint8Array<ArrayBuffer> | null> {
  const map = file.subarray(at.offset, at.offset + at.length);
  const icc = storedProfile(map, image.icc);
  const appearance: Appearance = {
    icc: icc instanceof Uint8Array ? icc : null,
    metadata: noMetadata,
    gainMap: { kind: 'map', statement },
  };
  const mayHaveMore = arena.reserved < arenaCeiling;
  try {
    const untouched = rewrappedJpeg(map, appearance);
    const recoded = yield* recodeJpeg(map, image, {
      quality: 'lossless',
      head: jpegHead(map, appearance),
      originalBytes: lengthOf(untouched),
      mayStream: !mayHaveMore,
    });
    return recoded ? recoded.bytes.slice() : assemble(untouched);
  } catch (error) {
    if (error instanceof ContainerError) return null;
    const isHopeless = error instanceof CodecError && !(error.exhausted && mayHaveMore);
    if (isHopeless) return null;
    throw error;
  }
}
