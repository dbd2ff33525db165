import type { Coding, RowEncoder } from '../formats/coding.ts';
import type { OutputType } from '../formats/facts.ts';
import type { Source } from '../formats/inspection.ts';
import { decoderOf, outputFormat } from '../formats/registry.ts';
import { turnedSize } from '../pixels/orientation.ts';
import { bytesPerRasterPixel, type PictureShape, type Size } from '../pixels/raster.ts';
import { maxBands, turningBytes, turnsInBands } from '../pixels/turned-rows.ts';
import {
  arenaCeiling,
  buffersLimit,
  fitsAlone,
  type Peak,
  sideCeiling,
} from '../wasm/memory-ledger.ts';
import type { EncodeCandidate } from './candidates.ts';
import { preparedDetail, preparingCpu, stagesBytes } from './pixel-stages.ts';
import { preparingPeak } from './prepare-pixels.ts';

/**
 * How pixels get from a reader to a writer, and what that takes. Pixels that are kept are decoded once; where
 * a raster of them does not fit, rows flow, and the reader begins again whenever the writer wants them.
 */
export type Conversion = KeptConversion | FlowingConversion;

/** Where a reader runs while rows flow. */
export type ReaderPlace = 'side' | 'arena' | 'in-turns';

interface Taking {
  /** Memory beside the file, for a photo: the way is taken where that fits. */
  readonly photoPeak: Peak;
  /** That for noise, as far as there is memory beside the file: a result that takes more is given up. */
  readonly peak: Peak;
  /** Computing time in milliseconds, for a photo: what its pixels take, and what encoding them does. */
  readonly cpuMs: { readonly pixels: number; readonly encoding: number };
}

/** By way of a raster, which other candidates may share. */
interface KeptConversion extends Taking {
  readonly kind: 'kept';
  /** The best first; one that runs out of memory hands over to the next. */
  readonly encoders: readonly Bounded<RowEncoder>[];
}

/** Row by row. */
export interface FlowingConversion extends Taking {
  readonly kind: 'flowing';
  /**
   * Where the reader runs while the writer has the other arena; or both have the large one in turns, and the reader
   * begins anew for each strip.
   */
  readonly reader: ReaderPlace;
  readonly encoders: readonly Bounded<RowEncoder>[];
  /** Of the turned picture: each takes a run through the source. */
  readonly bands: number;
  /** Bytes of buffers that are held while rows flow, results left aside. */
  readonly stageBytes: number;
}

/** An encoder, and what it may have of its arena in bytes; it may run out of that, and the next one takes over. */
export type Bounded<Encoder extends RowEncoder> = Encoder & { readonly arenaBytes: number };

/**
 * How a candidate is made in an isolate that does nothing else: the first way that fits; where none does, the one
 * that takes the fewest buffers.
 * @param beside bytes that are held beside the pixels and the file
 */
export function conversionOf(candidate: EncodeCandidate, source: Source, beside = 0): Conversion {
  const [first] = fittingConversions(candidate, source, beside);
  return first ?? leastConversion(candidate, source, beside);
}

/** Those ways to make a candidate that fit in an isolate that does nothing else, the first to be tried first. */
export function* fittingConversions(
  candidate: EncodeCandidate,
  source: Source,
  beside = 0,
): Generator<Conversion> {
  for (const way of conversionsOf(candidate, source, beside)) {
    if (fitsAlone(way.photoPeak, source.fileBytes + beside)) yield way;
  }
}

function leastConversion(candidate: EncodeCandidate, source: Source, beside: number): Conversion {
  const ways = [...conversionsOf(candidate, source, beside)];
  return ways.reduce((least, way) =>
    way.photoPeak.buffers < least.photoPeak.buffers ? way : least,
  );
}

/** All ways to make a candidate, those of the least computing time first. */
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

/** @param room for buffers beside the file, in bytes */
function keptConversion(
  candidate: EncodeCandidate,
  source: Source,
  { writers, room }: { readonly writers: Writers; readonly room: number },
): KeptConversion {
  const { width, height } = encodedShape(source, candidate);
  const preparing = preparingPeak(source, candidate.pixels);
  const encoders = writers.inArena;
  const raster = bytesPerRasterPixel * width * height;
  const arena = Math.max(preparing.arena, ...encoders.map(({ arenaBytes }) => arenaBytes));
  const photo = encoders.map(({ strips, bufferBytes }) =>
    strips
      ? raster + strips(1).heldBytes + bufferBytes
      : raster + resultBytes(bufferBytes, candidate, source),
  );
  const noise = encoders.map(({ maxBufferBytes }) => raster + maxBufferBytes);
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

/** Null where there is no way like that. */
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
    stagesBytes(candidate.pixels) +
    (first.strips ? 0 : turningBytes(target ?? image, turn, bands)) +
    (decoder.bufferBytes?.(image, fileBytes) ?? 0);
  const result = Math.max(...encoders.map(({ bufferBytes }) => bufferBytes));
  const noise = Math.max(...encoders.map(({ maxBufferBytes }) => maxBufferBytes));
  const held = Math.max(...encoders.map(({ strips }) => strips?.(turn).heldBytes ?? 0));
  // what a writer aside makes is drained into buffers while rows flow, as is what lies there anyway
  const drains = reader === 'arena' || first.strips !== undefined;
  const flowing = (bytes: number) => stageBytes + held + (drains ? bytes : 0);
  const buffers = Math.max(flowing(result), resultBytes(result, candidate, source));
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
    peak: withNoise(photoPeak, Math.max(flowing(noise), noise), room),
    cpuMs: attemptCpu({ kind: 'flowing', reader, bands }, first, candidate, source),
  };
}

/** The encoders of a candidate. Each list is made once, so that one that was tried is known again on another way. */
class Writers {
  readonly inArena: readonly Bounded<RowEncoder>[];
  readonly #listAside: () => readonly Bounded<RowEncoder>[];
  #aside: readonly Bounded<RowEncoder>[] | undefined;

  constructor(shape: PictureShape, coding: TypedCoding) {
    this.inArena = encodersFor(shape, coding);
    this.#listAside = () => asideEncodersFor(shape, coding);
  }

  /** Those for rows from a reader in this place. */
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
      // where the pieces of the result are put together in the end
      return { arena: Math.max(readerBytes, result), side: writerBytes };
    case 'in-turns':
      return { arena: Math.max(readerBytes, writerBytes) };
  }
}

/** Runs through the source, of which the encoder sees upright rows or takes strips. */
function runsOf(
  { runs, strips }: RowEncoder,
  { reader, bands }: Pick<FlowingConversion, 'reader' | 'bands'>,
  candidate: EncodeCandidate,
  source: Source,
): number {
  if (!strips) return bands * runs;
  const taken = strips(candidate.pixels.turn);
  if (reader !== 'in-turns') return runs + taken.runs;
  // the reader begins anew for each strip, and runs on to its end: past half of the picture, taking all of them together
  const count = Math.ceil(readSize(source, candidate).height / taken.rows);
  return runs + (taken.runs * (count + 1)) / 2;
}

/** Rows that an encoder takes in all its runs. */
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

/**
 * What a step takes whose result is noise, at most.
 * @param buffers for noise, in bytes
 * @param room for buffers, in bytes: they never take more, but where a photo does
 */
function withNoise(photo: Peak, buffers: number, room: number): Peak {
  return { ...photo, buffers: Math.max(photo.buffers, Math.min(buffers, room)) };
}

/** What a complete result takes beside the file, which makes way for it where no other candidate needs it. */
function resultBytes(bytes: number, { isAlone }: EncodeCandidate, { fileBytes }: Source): number {
  return isAlone ? Math.max(0, bytes - fileBytes) : bytes;
}

/** Computing time of an encoder on a way, in milliseconds, for a photo; that of encoding is infinite where there is none. */
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

/** How the candidate's pixels are encoded, as far as the source tells. */
function codingOf(candidate: EncodeCandidate, source: Source): TypedCoding {
  return { ...candidate, isDrawn: preparedDetail(source, candidate.pixels).isDrawn };
}

/**
 * Encoders for a picture of this shape, the best first.
 *
 * What an encoder takes depends on the picture: noise makes it keep several
 * times as much as a photo does. Planning for noise alone would refuse most
 * photos that fit, so an encoder is in the list when a photo fits (`photoBytes`),
 * gets what noise would take (`maxBytes`) as far as the arena may grow, and hands
 * over to a leaner one when it runs out. None gets past what it was given.
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

/** The shape of what is encoded. */
export function encodedShape(source: Source, candidate: EncodeCandidate): PictureShape {
  const { turn, background } = candidate.pixels;
  const hasAlpha = source.image.hasAlpha && background === null;
  return { ...turnedSize(readSize(source, candidate), turn), hasAlpha };
}

/** The size of the picture after all steps but turning. */
export function readSize({ image }: Source, { pixels: { target } }: EncodeCandidate): Size {
  const { width, height } = target ?? image;
  return { width, height };
}
