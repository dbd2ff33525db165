import { freeMemory } from '../container/workspace.ts';
import type { Encoded, EncodingRun, RowEncoder } from '../formats/coding.ts';
import { factsOf, holdsAll } from '../formats/facts.ts';
import type { Finished } from '../formats/format.ts';
import type { Appearance, Source } from '../formats/inspection.ts';
import { outputFormat } from '../formats/registry.ts';
import { changedRows, pacedRows, type RowSource, rowsOf } from '../pixels/row-source.ts';
import { rowsInTurns } from '../pixels/rows-in-turns.ts';
import { turnedRows } from '../pixels/turned-rows.ts';
import { damaged, excessive, refuseOptions } from '../refusal.ts';
import type { Slices } from '../slices.ts';
import { type Arena, arena, sideArena } from '../wasm/arena.ts';
import { arenaCeiling, buffersLimit, sideCeiling } from '../wasm/budgets.ts';
import { CodecError, NoRoomForResult } from '../wasm/codec.ts';
import { ledger } from '../wasm/memory-ledger.ts';
import { copiedOut, type ReleaseFile, whileGranted } from '../wasm/run-in-arena.ts';
import type { EncodeCandidate } from './candidates.ts';
import {
  attemptCpu,
  type Bounded,
  type Conversion,
  encodingRowMs,
  type FlowingConversion,
  type ReaderPlace,
  readSize,
  rowsTaken,
} from './conversion.ts';
import { ReadingError } from './decode.ts';
import type { PreparedPixels } from './prepare-pixels.ts';
import { openStagedRows, type ReducedPixels } from './reduced-pixels.ts';
import type { Failure } from './result.ts';

/** What to encode, and the profile and metadata of the result. */
export interface Encoding {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly source: Source;
  /** Held reductions of the picture; absent or null if there are none. */
  readonly reduced?: ReducedPixels | null;
  readonly candidate: EncodeCandidate;
  readonly appearance: Appearance;
  /** Frees the file when it is no longer needed; null if another candidate needs it. */
  readonly makeWay: ReleaseFile | null;
}

/** The outcome of an attempt. */
export type Outcome = Failure | Finished | Shortage;

/** An attempt that failed, but another one may succeed. */
export interface Shortage {
  readonly kind: 'short';
  /** What ran out of memory, or that the result is too long; null if the encoder gave up for another reason. */
  readonly of: 'reader' | 'encoder' | 'result' | null;
  /** Number of rows that the encoder had read until then, in all passes. */
  readonly rows: number;
}

/**
 * Encodes a candidate from pixels, with one of its encoders and one conversion.
 *
 * @returns a finished file, because encoders write profile and metadata themselves
 */
export function* encodeBy(
  encoder: Bounded<RowEncoder>,
  way: Conversion,
  encoding: Encoding,
  pixels: PreparedPixels,
): Slices<Outcome> {
  let taken = 0;
  const { candidate, source } = encoding;
  const cpuMs = attemptCpu(way, encoder, candidate, source).encoding;
  const rowMs = encodingRowMs(encoder, cpuMs, rowsTaken(encoder, way, candidate, source));
  const counted = (rows: RowSource) =>
    pacedRows(rows, rowMs, (count) => {
      taken += count;
    });
  try {
    return yield* way.kind === 'kept'
      ? encodeRaster(encoding, encoder, pixels, counted)
      : encodeRows(encoding, encoder, way, counted);
  } catch (error) {
    if (error instanceof TransparencyError) return transparent(encoding);
    if (error instanceof ReadingError && error.isExcessive) return excessive;
    if (error instanceof ReadingError && !error.exhausted) return damaged;
    return { kind: 'short', of: shortageBy(error), rows: taken };
  }
}

/** @throws the error if it is a bug, since readers and encoders report everything else */
function shortageBy(error: unknown): Shortage['of'] {
  if (error instanceof ReadingError) return 'reader';
  if (!(error instanceof CodecError)) throw error;
  if (error instanceof NoRoomForResult) return 'result';
  return error.exhausted ? 'encoder' : null;
}

/** Wraps rows to count those that are read. */
type Counted = (rows: RowSource) => RowSource;

function* encodeRaster(
  encoding: Encoding,
  encoder: Bounded<RowEncoder>,
  pixels: PreparedPixels,
  counted: Counted,
): Slices<Failure | Finished> {
  const raster = yield* pixels.through(encoding.candidate.pixels);
  if ('kind' in raster) return raster;
  arena.reserve(encoder.arenaBytes);
  sideArena.reserve(encoder.sideBytes ?? 0);
  const held = pixels.bytes;
  const room = roomBesideRaster(encoder, encoding, held);
  const run = { ...runIn(arena, encoding, room), spareMemory: sideArena };
  return yield* whileGranted(room.grantedBytes, function* () {
    const encoded = yield* encoder.encode(counted(shownRows(rowsOf(raster), encoding)), run);
    return complete(encoding, encoder, encoded, { held });
  });
}

function* encodeRows(
  encoding: Encoding,
  encoder: Bounded<RowEncoder>,
  way: FlowingConversion,
  counted: Counted,
): Slices<Failure | Finished> {
  const { source, candidate } = encoding;
  const { reader, peak } = way;
  const readerArena = reader === 'side' ? sideArena : arena;
  const writerArena = reader === 'arena' ? sideArena : arena;
  const limits = arenaLimits(reader, peak);
  const { turn } = candidate.pixels;
  const strips = encoder.strips?.(turn);
  const room = roomWhileFlowing(encoder, encoding, way, limits);
  const run = { ...runIn(writerArena, encoding, room), ...(strips && { turn }) };
  const reserve = {
    reader: () => readerArena.reserve(reader === 'side' ? limits.side : limits.arena),
    writer: () => writerArena.reserve(encoder.arenaBytes),
  };
  const encodeFrom = (rows: RowSource) => encoder.encode(counted(rows), run);
  const uprightIn = strips ? null : way.bands;
  return yield* whileGranted(room.grantedBytes, function* () {
    reserve.writer();
    if (reader !== 'in-turns') {
      reserve.reader();
      const encoded = yield* withOpenRows(encoding, uprightIn, readerArena, encodeFrom);
      return byRows(complete(encoding, encoder, encoded, { reader }));
    }
    const rows = rowsInTurns(readSize(source, candidate), strips?.rows ?? 1, function* (use) {
      reserve.reader();
      yield* withOpenRows(encoding, uprightIn, readerArena, use);
      reserve.writer();
    });
    try {
      return byRows(complete(encoding, encoder, yield* encodeFrom(rows), { reader }));
    } finally {
      rows.release?.();
    }
  });
}

function byRows(made: Failure | Finished): Failure | Finished {
  return made.kind === 'finished' ? { ...made, engine: 'rows' } : made;
}

/** Maximum size of a result, in the terms of `EncodingRun`. */
interface ResultRoom extends Pick<EncodingRun, 'maxBytes' | 'bufferBytes'> {
  /** Bytes of all buffers that the encoding may take. */
  readonly grantedBytes: number;
}

/** Maximum size of an encoder's result in a conversion, given the memory available now. */
export function resultRoomOf(
  encoder: Bounded<RowEncoder>,
  way: Conversion,
  encoding: Encoding,
  pixels: PreparedPixels,
): number {
  const { maxBytes, bufferBytes } =
    way.kind === 'kept'
      ? roomBesideRaster(encoder, encoding, pixels.bytes)
      : roomWhileFlowing(encoder, encoding, way, arenaLimits(way.reader, way.peak));
  const reader = way.kind === 'kept' ? undefined : way.reader;
  return isInBuffers(encoder, reader) ? Math.min(maxBytes, bufferBytes) : maxBytes;
}

/** @param held size of the raster in bytes */
function roomBesideRaster(
  encoder: Bounded<RowEncoder>,
  encoding: Encoding,
  held: number,
): ResultRoom {
  const { arenaBytes, sideBytes = 0, strips } = encoder;
  const buffers = held + (strips?.(1).heldBytes ?? 0);
  const bufferBytes = ledger.freeBeside({ arena: arenaBytes, side: sideBytes, buffers });
  const grantedBytes = buffers + (isInBuffers(encoder, undefined) ? bufferBytes : 0);
  return { maxBytes: longestResult(encoding, held), bufferBytes, grantedBytes };
}

function roomWhileFlowing(
  encoder: Bounded<RowEncoder>,
  encoding: Encoding,
  { stageBytes, reader }: FlowingConversion,
  limits: ArenaLimits,
): ResultRoom {
  const { turn } = encoding.candidate.pixels;
  const buffers = stageBytes + (encoder.strips?.(turn).heldBytes ?? 0);
  const bufferBytes = ledger.freeBeside({ ...limits, buffers });
  const grantedBytes = buffers + (isInBuffers(encoder, reader) ? bufferBytes : 0);
  return { maxBytes: longestResult(encoding), bufferBytes, grantedBytes };
}

/**
 * Maximum size of a result in bytes; the file is freed for it if nothing else needs it.
 * @param held bytes of pixels that are held together with the result
 */
function longestResult({ source, makeWay }: Encoding, held = 0): number {
  return buffersLimit - held - (makeWay ? 0 : source.fileBytes);
}

function runIn(
  memory: Arena,
  { appearance }: Encoding,
  { maxBytes, bufferBytes }: ResultRoom,
): EncodingRun {
  return { memory, appearance, maxBytes, bufferBytes };
}

/**
 * Opens the rows of a picture as they are to be encoded, with a reader in reserved memory, and returns the result of
 * `use`.
 * @param uprightIn number of bands in which rows are rotated to upright; null to leave them as they are
 */
function* withOpenRows<Made>(
  encoding: Encoding,
  uprightIn: number | null,
  memory: Arena,
  use: (rows: RowSource) => Slices<Made>,
): Slices<Made> {
  const { pixels } = encoding.candidate;
  return yield* openStagedRows(encoding, pixels, memory, function* (staged) {
    const { turn } = pixels;
    const taken = uprightIn === null ? staged : turnedRows(staged, turn, uprightIn);
    try {
      return yield* use(shownRows(taken, encoding));
    } finally {
      // The next pass starts with rows of its own.
      taken.release?.();
    }
  });
}

/** Completes an encoded file, which is first assembled if it does not lie in the arena. */
function complete(
  encoding: Encoding,
  encoder: RowEncoder,
  encoded: Encoded,
  { reader, held = 0 }: { readonly reader?: ReaderPlace; readonly held?: number },
): Failure | Finished {
  return isInBuffers(encoder, reader)
    ? assemble(encoding, encoded, held)
    : copyOut(encoding, encoded, held);
}

/** Whether a result is in buffers, not in the arena, while it is being made. */
function isInBuffers({ strips }: RowEncoder, reader: ReaderPlace | undefined): boolean {
  return reader === 'arena' || strips !== undefined;
}

/**
 * Assembles the pieces of a result in the arena, which the reader no longer uses, and frees each piece after it is
 * copied, even small ones, of which there may be thousands: so there are never two complete copies in buffers.
 */
function assemble(
  encoding: Encoding,
  { parts, ...made }: Encoded,
  held: number,
): Failure | Finished {
  const length = lengthOfParts(parts);
  if (!ledger.makesRoomFor({ arena: length, buffers: held + length })) {
    return { kind: 'refused', reason: 'overloaded' };
  }
  arena.reserve(length);
  const whole = arena.firstBytes(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  const others = buffersOfOthers(encoding);
  for (const part of parts) if (!others.has(part.buffer)) freeMemory(part);
  return copyOut(encoding, { ...made, parts: [whole] }, held);
}

/** Buffers in which parts of a result may lie that do not belong to the encoder. */
function buffersOfOthers({ file, appearance: { icc, metadata } }: Encoding): Set<ArrayBufferLike> {
  const carried = [file, icc, metadata.exif, metadata.xmp, metadata.iptc];
  const buffers = carried.flatMap((bytes) => bytes?.buffer ?? []);
  return new Set([sideArena.memory.buffer, ...buffers]);
}

function lengthOfParts(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/** Maximum sizes of the arenas in bytes. */
interface ArenaLimits {
  readonly arena: number;
  readonly side: number;
}

/** A reader may need more memory than the header implies, and may then use all that is free. */
function arenaLimits(
  reader: ReaderPlace,
  { arena: main, side = 0, buffers }: Conversion['peak'],
): ArenaLimits {
  if (reader === 'in-turns') return { arena: main, side };
  const most =
    reader === 'side' ? { arena: main, side: sideCeiling } : { arena: arenaCeiling, side };
  return ledger.makesRoomFor({ ...most, buffers }) ? most : { arena: main, side };
}

/** @param held bytes of pixels that are held together with the result */
function copyOut(
  { source, candidate, appearance, makeWay }: Encoding,
  { parts, ...made }: Encoded,
  held = 0,
): Failure | Finished {
  const length = lengthOfParts(parts);
  const beside = makeWay ? Math.max(0, length - source.fileBytes) : length;
  if (!ledger.makesRoomFor({ arena: 0, buffers: held + beside })) {
    return { kind: 'refused', reason: 'overloaded' };
  }
  const bytes = copiedOut(parts, makeWay ?? (() => null));
  const isComplete = holdsAll(factsOf(candidate.type), appearance.metadata);
  return { ...made, kind: 'finished', bytes, isComplete };
}

/** Thrown if a picture that was planned as opaque is not. */
class TransparencyError extends Error {
  override readonly name = 'TransparencyError';
}

/** Rows that are checked to be opaque if the format does not support transparency. */
function shownRows(rows: RowSource, { source, candidate }: Encoding): RowSource {
  const { output } = outputFormat(candidate.type).facts;
  const isShown = output.holdsAlpha || candidate.pixels.background !== null;
  if (isShown || !source.image.hasAlpha) return rows;
  return changedRows(rows, (row) => {
    for (let i = 3; i < row.length; i += 4) if (row[i] !== 255) throw new TransparencyError();
  });
}

function transparent({ candidate }: Encoding): Failure {
  const { name } = outputFormat(candidate.type).facts;
  const refusal = refuseOptions(
    `The picture is transparent and ${name} is not: give a background, or another format.`,
  );
  return { kind: 'impossible', refusal };
}
