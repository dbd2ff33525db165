import type {
  Appearance,
  Encoded,
  EncodingRun,
  Finished,
  RowEncoder,
  Source,
} from '../formats/format.ts';
import { formatOf, outputFormat } from '../formats/registry.ts';
import { changedRows, type RowSource, rowsOf } from '../pixels/row-source.ts';
import { rowsInTurns } from '../pixels/rows-in-turns.ts';
import { turnedRows } from '../pixels/turned-rows.ts';
import { damaged, refuseOptions, refuseTooLarge } from '../refusal.ts';
import { type Arena, arena, sideArena } from '../wasm/arena.ts';
import { CodecError } from '../wasm/codec.ts';
import { arenaCeiling, buffersLimit, ledger, sideCeiling } from '../wasm/memory-ledger.ts';
import { copiedOut, type ReleaseFile } from '../wasm/run-in-arena.ts';
import type { EncodeCandidate } from './candidates.ts';
import { type Bounded, type Conversion, encodedShape } from './conversion.ts';
import { openRows, ReadingError } from './decode.ts';
import { decodingFor, stagedRows } from './pixel-stages.ts';
import type { PreparedPixels } from './prepare-pixels.ts';
import type { Failure } from './result.ts';

/** What is encoded, and what the result carries. */
export interface Encoding {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly source: Source;
  readonly candidate: EncodeCandidate;
  readonly appearance: Appearance;
  /** Called when nothing needs the file any more, where no other candidate does; null otherwise. */
  readonly makeWay: ReleaseFile | null;
}

/** What a conversion came to; the reader may have run out of the arena that it had on this way. */
export type Outcome = Failure | Finished | { readonly kind: 'reader-exhausted' };

/**
 * Makes a candidate of a picture's pixels. Runs from end to end without yielding, so no other
 * request's pixels are ever in memory beside these.
 *
 * @returns finished where the encoder writes profile and metadata itself
 */
export function encode(
  encoding: Encoding,
  conversion: Conversion,
  pixels: PreparedPixels,
): Outcome {
  try {
    return conversion.kind === 'kept'
      ? encodedRaster(encoding, conversion, pixels)
      : encodedRows(encoding, conversion);
  } catch (error) {
    if (error instanceof TransparencyError) return transparent(encoding);
    // anything else is a fault of ours: readers say of what they find damaged that it is (`ReadingError`)
    throw error;
  }
}

function encodedRaster(
  encoding: Encoding,
  { encoders }: Extract<Conversion, { kind: 'kept' }>,
  pixels: PreparedPixels,
): Outcome {
  const raster = pixels.through(encoding.candidate.pixels);
  if ('kind' in raster) return raster;
  const rows = () => shownRows(rowsOf(raster), encoding);
  return firstThatWorks(encoding, encoders, (encoder) => {
    arena.reserve(encoder.arenaBytes);
    const held = pixels.bytes;
    const buffers = held + (encoder.strips?.heldBytes ?? 0);
    const bufferBytes = ledger.freeBeside({ arena: encoder.arenaBytes, buffers });
    const encoded = encoder.encode(rows(), runIn(arena, encoding, { held, bufferBytes }));
    return sent(encoding, encoder, encoded, { held });
  });
}

function encodedRows(
  encoding: Encoding,
  conversion: Extract<Conversion, { kind: 'flowing' }>,
): Outcome {
  const { source, candidate } = encoding;
  const { encoders, reader, stageBytes, peak } = conversion;
  const readerArena = reader === 'side' ? sideArena : arena;
  const writerArena = reader === 'arena' ? sideArena : arena;
  return firstThatWorks(encoding, encoders, (encoder) => {
    const limits = arenaLimits(reader, peak);
    const reserve = {
      reader: () => readerArena.reserve(reader === 'side' ? limits.side : limits.arena),
      writer: () => writerArena.reserve(encoder.arenaBytes),
    };
    const buffers = stageBytes + (encoder.strips?.heldBytes ?? 0);
    const bufferBytes = ledger.freeBeside({ ...limits, buffers });
    const encodeFrom = (rows: RowSource) =>
      encoder.encode(rows, runIn(writerArena, encoding, { bufferBytes }));
    reserve.writer();
    if (reader !== 'in-turns') {
      reserve.reader();
      const encoded = withOpenRows(encoding, conversion, readerArena, encodeFrom);
      return { ...sent(encoding, encoder, encoded, { reader }), engine: 'rows' };
    }
    const rows = rowsInTurns(encodedShape(source, candidate), encoder.strips?.rows ?? 1, (use) => {
      reserve.reader();
      withOpenRows(encoding, conversion, readerArena, use);
      reserve.writer();
    });
    try {
      return { ...sent(encoding, encoder, encodeFrom(rows), { reader }), engine: 'rows' };
    } finally {
      rows.release?.();
    }
  });
}

/** What `use` makes of a picture's rows as they are to be encoded, from a reader in memory that has been reserved. */
function withOpenRows<Made>(
  encoding: Encoding,
  { bands }: Extract<Conversion, { kind: 'flowing' }>,
  memory: Arena,
  use: (rows: RowSource) => Made,
): Made {
  const { file, source, candidate } = encoding;
  const { decoder } = formatOf(source.image).read;
  const how = decodingFor(source, candidate.pixels);
  return openRows(decoder, file, source.image, how, memory, (rows) => {
    const staged = stagedRows(rows, source, candidate.pixels, how.halvings);
    const upright = turnedRows(staged, candidate.pixels.turn, bands);
    try {
      return use(shownRows(upright, encoding));
    } finally {
      // the next run begins with rows of its own
      upright.release?.();
    }
  });
}

/** A complete file of what was encoded: it is put together first where it does not lie in the arena. */
function sent(
  encoding: Encoding,
  { strips }: RowEncoder,
  encoded: Encoded,
  { reader, held = 0 }: { readonly reader?: 'side' | 'arena' | 'in-turns'; readonly held?: number },
): Failure | Finished {
  const isInBuffers = reader === 'arena' || strips !== undefined;
  return isInBuffers ? putTogether(encoding, encoded, held) : finished(encoding, encoded, held);
}

/**
 * Puts the pieces of a result together in the arena, with which the reader has done, and frees them once they have
 * been copied, however small they are, since there may be thousands: there are no two copies of the whole in buffers.
 */
function putTogether(
  encoding: Encoding,
  { parts, quality }: Encoded,
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
  // several pieces may lie in one buffer
  const own = new Set(parts.map(({ buffer }) => buffer)).difference(buffersOfOthers(encoding));
  for (const buffer of own) if (buffer instanceof ArrayBuffer) buffer.transfer(0);
  return finished(encoding, { parts: [whole], quality }, held);
}

/** Where parts of a result may lie that are not the encoder's own. */
function buffersOfOthers({ file, appearance: { icc, metadata } }: Encoding): Set<ArrayBufferLike> {
  const carried = [file, icc, metadata.exif, metadata.xmp, metadata.iptc];
  const buffers = carried.flatMap((bytes) => bytes?.buffer ?? []);
  return new Set([sideArena.memory.buffer, ...buffers]);
}

function lengthOfParts(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/** How far arenas may grow: a reader may need more than the header tells, and then has all that is free. */
function arenaLimits(
  reader: 'arena' | 'side' | 'in-turns',
  { arena: main, side = 0, buffers }: Conversion['peak'],
): { readonly arena: number; readonly side: number } {
  if (reader === 'in-turns') return { arena: main, side };
  const most =
    reader === 'side' ? { arena: main, side: sideCeiling } : { arena: arenaCeiling, side };
  return ledger.makesRoomFor({ ...most, buffers }) ? most : { arena: main, side };
}

/** By the first encoder that gets by with its memory, or a refusal. */
function firstThatWorks<Encoder extends RowEncoder>(
  { source, candidate }: Encoding,
  encoders: readonly Bounded<Encoder>[],
  run: (encoder: Bounded<Encoder>) => Failure | Finished,
): Outcome {
  let isTooLarge = false;
  for (const encoder of encoders) {
    try {
      return run(encoder);
    } catch (error) {
      if (error instanceof ReadingError) {
        return error.exhausted ? { kind: 'reader-exhausted' } : damaged;
      }
      if (!(error instanceof CodecError)) throw error;
      isTooLarge ||= error.exhausted;
    }
  }
  // Mostly noise comes here, since an encoder keeps more of it than of any picture.
  const { width, height } = encodedShape(source, candidate);
  const refusal = isTooLarge ? refuseTooLarge(Math.floor((width * height) / 2)) : cannotBeEncoded;
  return { kind: 'impossible', refusal };
}

/** Every encoder gave up for another reason than memory, and codecs do not say for which. */
const cannotBeEncoded = refuseOptions(
  'This picture cannot be coded like that: use another quality or format.',
);

/**
 * @param held bytes of pixels that stay beside the result
 * @param bufferBytes for what does not stay in that memory
 */
function runIn(
  memory: Arena,
  { appearance, source, makeWay }: Encoding,
  { held = 0, bufferBytes = 0 }: { readonly held?: number; readonly bufferBytes?: number },
): EncodingRun {
  // the file makes way for the result, where nobody else needs it
  const beside = held + (makeWay ? 0 : source.fileBytes);
  return { memory, appearance, maxBytes: buffersLimit - beside, bufferBytes };
}

/** @param held bytes of pixels that stay beside the result */
function finished(
  { source, makeWay }: Encoding,
  { parts, quality }: Encoded,
  held = 0,
): Failure | Finished {
  const length = lengthOfParts(parts);
  const beside = makeWay ? Math.max(0, length - source.fileBytes) : length;
  if (!ledger.makesRoomFor({ arena: 0, buffers: held + beside })) {
    return { kind: 'refused', reason: 'overloaded' };
  }
  const bytes = copiedOut(parts, makeWay ?? (() => null));
  return { kind: 'finished', bytes, quality, isComplete: true };
}

/** A picture was taken for opaque, and is not. */
class TransparencyError extends Error {
  override readonly name = 'TransparencyError';
}

/** Rows that are opaque where the format holds nothing else. */
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
  return refuseOptions(
    `The picture is transparent and ${name} is not: give a background, or another format.`,
  );
}
