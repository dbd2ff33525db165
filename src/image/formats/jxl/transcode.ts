import { carriedMetadata, type Keeping } from '../../metadata/carried.ts';
import type { PictureShape } from '../../pixels/raster.ts';
import type { Slices } from '../../slices.ts';
import { arena } from '../../wasm/arena.ts';
import { arenaCeiling } from '../../wasm/budgets.ts';
import { CodecError, Unrepresentable } from '../../wasm/codec.ts';
import { copiedOut } from '../../wasm/run-in-arena.ts';
import type { Detail } from '../coding.ts';
import type { Recoder } from '../format.ts';
import type { OutputFacts } from '../format-facts.ts';
import type { Appearance, Quality, Source } from '../inspection.ts';
import { CodedRows } from '../jpeg/code-picture.ts';
import { jpegEncodingMs, jpegRecodingMs, shareOfSource } from '../jpeg/cpu.ts';
import { SourceRows } from '../jpeg/decode.ts';
import type { JpegInspection } from '../jpeg/inspect.ts';
import {
  type CoefficientCandidate,
  coefficientCandidates,
  worthwhileShare,
} from '../jpeg/recode.ts';
import type { JpegSettings, Sampling } from '../jpeg/sampling.ts';
import { leavesToGuess, type ScanList, scansOf } from '../jpeg/scan-list.ts';
import { type Coded, codePicture } from './code-picture.ts';
import { jxlFacts } from './facts.ts';
import { type JxlKernel, runJxlKernel } from './kernel.ts';
import { jxlTranscodingBytes, maxJxlBytes } from './memory.ts';

/**
 * Transcodes a JPEG to JPEG XL at its own size: encodes its coefficients, unchanged or requantized more coarsely.
 */
export const jxlRecoder: Recoder<JpegInspection> = {
  engine: 'jxl-coefficients',
  arenaBytes: ({ image, fileBytes, icc }, { quality }) =>
    jxlTranscodingBytes(image, fileBytes, quality, icc?.length ?? 0),
  cpuMs: ({ image, fileBytes, icc }, { quality }) =>
    jxlTranscodingMs(image, fileBytes, quality, icc?.length ?? 0),
  *recode(file, source, { quality }, keeping, makeWay) {
    const { parts, quality: made } = yield* transcoded(file, source, quality, keeping);
    return { kind: 'finished', bytes: copiedOut(parts, makeWay), quality: made, isComplete: true };
  },
};

/** An encoded set of coefficients. */
interface Transcoded {
  readonly parts: readonly Uint8Array[];
  readonly quality: Quality;
}

/**
 * Minimum size of a lossless result relative to the JPEG, unless the JPEG consists mostly of tables.
 */
const minExactShare = 0.69;
const smallFile = 16_384;

function* transcoded(
  file: Uint8Array<ArrayBuffer>,
  source: Source<JpegInspection>,
  quality: Quality,
  { level, metadata }: Keeping,
): Slices<Transcoded> {
  const { image, icc, fileBytes } = source;
  const { holdsMetadata, noticesIn }: OutputFacts = jxlFacts.output;
  const holdsIptc = holdsMetadata.includes('iptc');
  // Decoders apply the orientation of the codestream, and output the picture upright.
  const shown = { orientation: 1, newSize: null, holdsIptc, noticesIn } as const;
  const appearance = { icc, metadata: carriedMetadata(metadata, level, shown) };
  const list = scansOf(file, image);
  // Tables may be defined between scans, which is not known from the headers.
  if (list.quantization.some((steps) => steps.includes(0))) throw unrepresentable(stepOfZero);
  if (leavesToGuess(image, list)) throw unrepresentable(cutOff);
  const job = { file, source, list, appearance };
  const most = maxJxlBytes(fileBytes);
  const candidates = [...coefficientCandidates(image, job.list, quality)];
  for (const candidate of candidates) {
    const made = yield* coded(job, candidate, most);
    if (!made) continue;
    const bytes = lengthOf(made);
    const isFarLess = fileBytes > smallFile && bytes < minExactShare * fileBytes;
    const isWorthIt = candidate.quality === 'lossless' || isFarLess;
    if (isWorthIt) return made;
    const exact = candidates.find((other) => other.quality === 'lossless');
    const kept = exact && (yield* codedWithin(job, exact, Math.floor(bytes / worthwhileShare)));
    // It has overwritten the first result.
    const best = kept ?? (yield* coded(job, candidate, most));
    if (best) return best;
  }
  throw unrepresentable('coefficients that no picture of 8 bits needs');
}

const stepOfZero = 'a quantization step of 0';

/** JPEG viewers smooth missing scans (`leavesToGuess`), but JPEG XL viewers show the blocks. */
const cutOff = 'scans that are missing, which viewers of JPEG smooth over';

/** @param what the part of the picture that JPEG XL cannot represent */
function unrepresentable(what: string): Unrepresentable {
  return new Unrepresentable(
    'jxl kernel',
    `The picture has ${what}. JPEG XL cannot hold that: use another format.`,
  );
}

function lengthOf({ parts }: Transcoded): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** State shared by all encodings of a picture. */
interface Job {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly source: Source<JpegInspection>;
  readonly list: ScanList;
  readonly appearance: Appearance;
}

/** Encodes a candidate; returns null if that is not possible. */
function* coded(
  job: Job,
  candidate: CoefficientCandidate,
  maxBytes: number,
): Slices<Transcoded | null> {
  const result = yield* runJxlKernel(job.file, (kernel) =>
    codeCandidate(kernel, job, candidate, maxBytes),
  );
  return result.kind === 'coded' ? { parts: result.parts, quality: candidate.quality } : null;
}

/** Encodes a candidate within a maximum size; returns null as well if it is longer or takes too much memory. */
function* codedWithin(
  job: Job,
  candidate: CoefficientCandidate,
  maxBytes: number,
): Slices<Transcoded | null> {
  try {
    const made = yield* coded(job, candidate, maxBytes);
    return made && lengthOf(made) <= maxBytes ? made : null;
  } catch (error) {
    if (error instanceof CodecError && error.exhausted) return null;
    throw error;
  }
}

function* codeCandidate(
  kernel: JxlKernel,
  { source: { image }, list, appearance }: Job,
  { sampling, tables }: CoefficientCandidate,
  maxBytes: number,
): Slices<Coded> {
  const { width, height, orientation } = image;
  const shape = { width, height, sampling };
  const rows = new CodedRows(kernel, new SourceRows(kernel, image, list), shape, tables);
  return yield* codePicture(kernel, rows, shape, {
    appearance,
    orientation,
    isRequantized: tables !== null,
    maxBytes,
    mayStream: arena.reserved >= arenaCeiling,
  });
}

/**
 * Why a JPEG cannot become JPEG XL according to its headers, as a sentence for users; null if it can.
 */
export function jxlObstacle({
  colorSpace,
  components,
  bitDepth,
  quantizationTables,
}: JpegInspection): string | null {
  if (colorSpace === 'rgb') {
    return 'A JPEG that holds red, green and blue instead of luma and chroma cannot become JPEG XL: use another format.';
  }
  if (bitDepth !== 8) return `Samples of ${bitDepth} bits cannot become JPEG XL: use format=keep.`;
  const isSampled = ({ horizontal, vertical }: Sampling) => horizontal <= 2 && vertical <= 2;
  if (components.length > 1 && !components.every(isSampled)) {
    return 'JPEG XL halves chroma at most, and this picture has less of it: use another format.';
  }
  const tables = components.map(({ quantizationTable }) => quantizationTables[quantizationTable]);
  if (tables.some((table) => table?.includes(0))) {
    return 'The picture has a quantization step of 0, which JPEG XL does not allow: use another format.';
  }
  return null;
}

// CPU time of JPEG XL in milliseconds. Reading and quantizing coefficients takes as long as for a JPEG, and encoding
// them a quarter longer than finding the shortest scans.

/** Minimum CPU time, for tables and tiny files. */
const minMs = 2;
/** CPU time per megabyte of ICC profile. */
const profileMs = 60;
/** CPU time relative to JPEG, with requantized coefficients and with all of them. */
const lossyShare = 1.3;
const exactShare = 1.25;

/** Above this share of the source, a lossy result is probably compared with a lossless one. */
const comparedShare = 0.7;

/** CPU time of transcoding a JPEG, possibly both lossless and lossy, and the better of them again. */
function jxlTranscodingMs(
  image: JpegInspection,
  fileBytes: number,
  quality: Quality,
  profileBytes: number,
): number {
  const profile = (profileMs * profileBytes) / 1e6;
  const exact = exactShare * jpegRecodingMs(image, fileBytes, 'lossless');
  if (quality === 'lossless') return minMs + profile + exact;
  const lossy = lossyShare * jpegRecodingMs(image, fileBytes, quality);
  const areCompared = shareOfSource(image, quality) > comparedShare;
  return minMs + profile + (areCompared ? 2 * lossy + exact : lossy);
}

/** CPU time of encoding pixels as JPEG XL. */
export function jxlEncodingMs(shape: PictureShape, settings: JpegSettings, detail: Detail): number {
  return minMs + jpegEncodingMs(shape, settings, detail);
}
