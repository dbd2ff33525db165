import type { Coding, RowEncoder } from '../formats/coding.ts';
import type { OutputType } from '../formats/facts.ts';
import type { Source } from '../formats/inspection.ts';
import { decoderOf, outputFormat } from '../formats/registry.ts';
import { turnedSize } from '../pixels/orientation.ts';
import { bytesPerRasterPixel, type PictureShape, type Size } from '../pixels/raster.ts';
import { maxBands, turningBytes, turnsInBands } from '../pixels/turned-rows.ts';
import { arenaCeiling, buffersLimit, sideCeiling } from '../wasm/budgets.ts';
import { fitsAlone, type Peak } from '../wasm/memory-ledger.ts';
import { type EncodeCandidate, hasAlphaAfter } from './candidates.ts';
import { keptTableBytes, preparedDetail, preparingCpu, stagesBytes } from './pixel-stages.ts';
import { preparingPeak } from './prepare-pixels.ts';

/**
 * How pixels get from a reader to a writer, and what that costs. Kept pixels are decoded once into a raster. If that
 * does not fit, rows are streamed, and the reader starts again for each pass of the writer.
 */
export type Conversion = KeptConversion | FlowingConversion;

/** The arena in which a reader runs while rows are streamed. */
export type ReaderPlace = 'side' | 'arena' | 'in-turns';

interface Taking {
  /** Peak memory for a photo, not counting the file; the conversion is used if it fits. */
  readonly photoPeak: Peak;
  /** Peak memory for noise, limited to what is available; a result that takes more is abandoned. */
  readonly peak: Peak;
  /** CPU time for a photo in milliseconds: preparing its pixels, and encoding them. */
  readonly cpuMs: { readonly pixels: number; readonly encoding: number };
}

/** A conversion through a raster, which other candidates may share. */
interface KeptConversion extends Taking {
  readonly kind: 'kept';
  /** Best first; if one runs out of memory, the next one is tried. */
  readonly encoders: readonly Bounded<RowEncoder>[];
}

/** A conversion that streams rows. */
export interface FlowingConversion extends Taking {
  readonly kind: 'flowing';
  /**
   * The reader's arena, while the writer has the other one; or both use the main arena in turns, and the reader starts
   * again for each strip.
   */
  readonly reader: ReaderPlace;
  readonly encoders: readonly Bounded<RowEncoder>[];
  /** Number of bands of the rotated picture, each of which takes a pass through the source. */
  readonly bands: number;
  /** Bytes of buffers held while rows are streamed, not counting results. */
  readonly stageBytes: number;
}

/** An encoder and its limit in bytes of its arena; if it runs out, the next one is tried. */
export type Bounded<Encoder extends RowEncoder> = Encoder & { readonly arenaBytes: number };

/**
 * The conversion for a candidate in an otherwise idle isolate: the first one that fits or, if none does, the one with
 * the fewest buffers.
 * @param beside bytes held in addition to the pixels and the file
 */
export function conversionOf(candidate: EncodeCandidate, source: Source, beside = 0): Conversion {
  const [first] = fittingConversions(candidate, source, beside);
  return first ?? conversionWithFewestBuffers(candidate, source, beside);
}

/** The conversions for a candidate that fit in an otherwise idle isolate, in the order in which to try them. */
export function* fittingConversions(
  candidate: EncodeCandidate,
  source: Source,
  beside = 0,
): Generator<Conversion> {
  for (const way of conversionsOf(candidate, source, beside)) {
    if (fitsAlone(way.photoPeak, source.fileBytes + beside)) yield way;
  }
}

function conversionWithFewestBuffers(
  candidate: EncodeCandidate,
  source: Source,
  beside: number,
): Conversion {
  const ways = [...conversionsOf(candidate, source, beside)];
  return ways.reduce((least, way) =>
    way.photoPeak.buffers < least.photoPeak.buffers ? way : least,
  );
}

/** All conversions for a candidate, in order of CPU time, fastest first. */
export function* conversionsOf(
  candidate: EncodeCandidate,
  source: Source,
  beside = 0,
): Generator<Conversion> {
  const room = buffersLimit - source.fileBytes - beside;
  const writers = new Writers(encodedShape(source, candidate), codingOf(candidate, source));
  yield keptConversion(candidate, source, { writers, room });
  for (let bands = 1; bands <= bandsAtMost(candidate, writers); bands += 1) {
    for (const reader of ['side', 'arena', 'in-turns'] as const) {
      const flowing = flowingConversion(candidate, source, { reader, bands, writers, room });
      if (flowing) yield flowing;
    }
  }
}

function bandsAtMost({ pixels: { turn } }: EncodeCandidate, { inArena }: Writers): number {
  return turnsInBands(turn) && !inArena.some(({ strips }) => strips) ? maxBands : 1;
}

/** @param room bytes available for buffers in addition to the file */
function keptConversion(
  candidate: EncodeCandidate,
  source: Source,
  { writers, room }: { readonly writers: Writers; readonly room: number },
): KeptConversion {
  const { width, height } = encodedShape(source, candidate);
  const preparing = preparingPeak(source, candidate.pixels);
  const encoders = writers.inArena;
  const table = keptTableBytes(source, candidate.pixels);
  const kept = bytesPerRasterPixel * width * height + table;
  const arena = Math.max(preparing.arena, ...encoders.map(({ arenaBytes }) => arenaBytes));
  const photo = encoders.map(({ strips, bufferBytes }) =>
    strips
      ? kept + strips(1).heldBytes + bufferBytes
      : kept + resultBytes(bufferBytes, candidate, source),
  );
  const noise = encoders.map(({ maxBufferBytes }) => kept + maxBufferBytes);
  const photoPeak = {
    arena: encoders.length > 0 ? arena : Number.POSITIVE_INFINITY,
    side: Math.max(0, ...encoders.map(({ sideBytes = 0 }) => sideBytes)),
    buffers: Math.max(preparing.buffers, ...photo),
  };
  return {
    kind: 'kept',
    encoders,
    photoPeak,
    peak: withNoise(photoPeak, Math.max(...noise), room),
    cpuMs: attemptCpu({ kind: 'kept' }, encoders[0], candidate, source),
  };
}

/** Returns null if there is no such conversion. */
function flowingConversion(
  candidate: EncodeCandidate,
  source: Source,
  {
    reader,
    bands,
    writers,
    room,
  }: {
    readonly reader: ReaderPlace;
    readonly bands: number;
    readonly writers: Writers;
    readonly room: number;
  },
): FlowingConversion | null {
  const { image, fileBytes } = source;
  const decoder = decoderOf(image);
  const readerBytes = decoder.arenaBytes(image, fileBytes);
  if (readerBytes > (reader === 'side' ? sideCeiling : arenaCeiling)) return null;
  const encoders = writers.beside(reader);
  const [first] = encoders;
  if (!first) return null;
  const writerBytes = Math.max(...encoders.map(({ arenaBytes }) => arenaBytes));
  const { target, turn } = candidate.pixels;
  const stageBytes =
    stagesBytes(source, candidate.pixels) +
    (first.strips ? 0 : turningBytes(target ?? image, turn, bands)) +
    (decoder.bufferBytes?.(image, fileBytes) ?? 0);
  const result = Math.max(...encoders.map(({ bufferBytes }) => bufferBytes));
  const noise = Math.max(...encoders.map(({ maxBufferBytes }) => maxBufferBytes));
  const held = Math.max(...encoders.map(({ strips }) => strips?.(turn).heldBytes ?? 0));
  // The output of a writer in the side arena, or of one that reads strips, goes into buffers while rows are streamed.
  const drains = reader === 'arena' || first.strips !== undefined;
  const flowing = (bytes: number) => stageBytes + held + (drains ? bytes : 0);
  const table = keptTableBytes(source, candidate.pixels);
  const buffers = Math.max(flowing(result), table + resultBytes(result, candidate, source));
  const photoPeak = {
    ...arenasOf(reader, readerBytes, writerBytes, result),
    buffers,
  };
  return {
    kind: 'flowing',
    reader,
    encoders,
    bands,
    stageBytes,
    photoPeak,
    peak: withNoise(photoPeak, Math.max(flowing(noise), table + noise), room),
    cpuMs: attemptCpu({ kind: 'flowing', reader, bands }, first, candidate, source),
  };
}

/** The encoders of a candidate. Each list is created once, so that encoders have an identity across conversions. */
class Writers {
  readonly inArena: readonly Bounded<RowEncoder>[];
  readonly #listAside: () => readonly Bounded<RowEncoder>[];
  #aside: readonly Bounded<RowEncoder>[] | undefined;

  constructor(shape: PictureShape, coding: TypedCoding) {
    this.inArena = encodersFor(shape, coding);
    this.#listAside = () => asideEncodersFor(shape, coding);
  }

  /** The encoders for rows from a reader in this arena. */
  beside(reader: ReaderPlace): readonly Bounded<RowEncoder>[] {
    switch (reader) {
      case 'side':
        return this.inArena;
      case 'arena':
        this.#aside ??= this.#listAside();
        return this.#aside;
      case 'in-turns':
        return this.inArena.filter(({ strips }) => strips !== undefined);
    }
  }
}

function arenasOf(reader: ReaderPlace, readerBytes: number, writerBytes: number, result: number) {
  switch (reader) {
    case 'side':
      return { arena: writerBytes, side: readerBytes };
    case 'arena':
      // The pieces of the result are assembled there in the end.
      return { arena: Math.max(readerBytes, result), side: writerBytes };
    case 'in-turns':
      return { arena: Math.max(readerBytes, writerBytes) };
  }
}

/** Number of passes through the source for an encoder that reads upright rows or strips. */
function runsOf(
  { runs, strips }: RowEncoder,
  { reader, bands }: Pick<FlowingConversion, 'reader' | 'bands'>,
  candidate: EncodeCandidate,
  source: Source,
): number {
  if (!strips) return bands * runs;
  const taken = strips(candidate.pixels.turn);
  if (reader !== 'in-turns') return runs + taken.runs;
  // For each strip, the reader starts again and reads to the end of the strip: on average, half of the picture.
  const count = Math.ceil(readSize(source, candidate).height / taken.rows);
  return runs + (taken.runs * (count + 1)) / 2;
}

/** Number of rows that an encoder reads in all its passes. */
export function rowsTaken(
  { runs, strips }: RowEncoder,
  { kind }: Pick<Conversion, 'kind'>,
  candidate: EncodeCandidate,
  source: Source,
): number {
  const upright = encodedShape(source, candidate);
  if (!strips) return runs * upright.height;
  const isUpright = kind === 'kept';
  const { height } = isUpright ? upright : readSize(source, candidate);
  return (runs + strips(isUpright ? 1 : candidate.pixels.turn).runs) * height;
}

/** Share of the CPU time of an encoder of strips while it collects their rows; it pauses by itself during the rest. */
const readingShare = 0.05;

/**
 * Predicted CPU time that an encoder spends on each row that it reads, until it pauses by itself.
 * @param cpuMs predicted CPU time of the encoding
 * @param rows number of rows that it reads in all its passes
 */
export function encodingRowMs({ strips }: RowEncoder, cpuMs: number, rows: number): number {
  return ((strips ? readingShare : 1) * cpuMs) / rows;
}

/**
 * Peak memory of a step whose result is noise.
 * @param buffers bytes of buffers for noise
 * @param room bytes available for buffers, which limit them unless a photo takes more
 */
function withNoise(photo: Peak, buffers: number, room: number): Peak {
  return { ...photo, buffers: Math.max(photo.buffers, Math.min(buffers, room)) };
}

/** Memory of a complete result in addition to the file, which is freed for it if no other candidate needs it. */
function resultBytes(bytes: number, { isAlone }: EncodeCandidate, { fileBytes }: Source): number {
  return isAlone ? Math.max(0, bytes - fileBytes) : bytes;
}

/**
 * CPU time of an encoder for a photo in a conversion, in milliseconds; infinite for encoding if there is no encoder.
 */
export function attemptCpu(
  way: { readonly kind: 'kept' } | Pick<FlowingConversion, 'kind' | 'reader' | 'bands'>,
  encoder: RowEncoder | undefined,
  candidate: EncodeCandidate,
  source: Source,
): Taking['cpuMs'] {
  const once = preparingCpu(source, candidate.pixels);
  if (!encoder) return { pixels: once, encoding: Number.POSITIVE_INFINITY };
  const runs = way.kind === 'kept' ? 1 : runsOf(encoder, way, candidate, source);
  return {
    pixels: runs * once,
    encoding: encoder.cpuMs(preparedDetail(source, candidate.pixels)),
  };
}

type TypedCoding = Coding & { readonly type: OutputType };

/** The coding of a candidate, with what the source reveals about its pixels. */
function codingOf(candidate: EncodeCandidate, source: Source): TypedCoding {
  return { ...candidate, detail: preparedDetail(source, candidate.pixels) };
}

/**
 * The encoders for a picture of this shape, best first.
 *
 * The memory of an encoder depends on the picture: noise takes several times as much as a photo. Planning for noise
 * would refuse most photos that fit, so an encoder is listed if a photo fits (`photoBytes`), may use as much as noise
 * takes (`maxBytes`) if the arena can grow that far, and is replaced by a leaner one if it runs out. None exceeds its
 * limit.
 */
export function encodersFor(
  shape: PictureShape,
  coding: TypedCoding,
): readonly Bounded<RowEncoder>[] {
  return bounded(outputFormat(coding.type).write.encoders(shape, coding), arenaCeiling);
}

function asideEncodersFor(
  shape: PictureShape,
  coding: TypedCoding,
): readonly Bounded<RowEncoder>[] {
  const { write } = outputFormat(coding.type);
  return bounded(write.asideEncoders?.(shape, coding) ?? [], sideCeiling);
}

function bounded<Encoder extends RowEncoder>(
  encoders: readonly Encoder[],
  ceiling: number,
): readonly Bounded<Encoder>[] {
  return encoders
    .filter(({ photoBytes }) => photoBytes <= ceiling)
    .map((encoder) => ({ ...encoder, arenaBytes: Math.min(encoder.maxBytes, ceiling) }));
}

/** The shape of the encoded picture. */
export function encodedShape(source: Source, candidate: EncodeCandidate): PictureShape {
  const { pixels } = candidate;
  const hasAlpha = hasAlphaAfter(pixels, source.image);
  return { ...turnedSize(readSize(source, candidate), pixels.turn), hasAlpha };
}

/** The size of the picture after all steps except rotation. */
export function readSize({ image }: Source, { pixels: { target } }: EncodeCandidate): Size {
  const { width, height } = target ?? image;
  return { width, height };
}
