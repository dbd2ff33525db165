import type { Decoding, RowDecoder } from '../formats/coding.ts';
import type { Inspection } from '../formats/inspection.ts';
import { decoderOf } from '../formats/registry.ts';
import { forEachRowOf, pacedRows, type RowSource } from '../pixels/row-source.ts';
import type { Refusal } from '../refusal.ts';
import type { Slices } from '../slices.ts';
import { type Arena, arena } from '../wasm/arena.ts';
import { CodecError, ExcessiveWork } from '../wasm/codec.ts';
import type { Peak } from '../wasm/memory-ledger.ts';
import { withinArena } from '../wasm/run-in-arena.ts';

/** Predicted peak memory of decoding all pixels once, not counting the file. */
export function viewingPeak(image: Inspection, fileBytes: number): Peak {
  const decoder = decoderOf(image);
  return {
    arena: decoder.arenaBytes(image, fileBytes),
    buffers: decoder.bufferBytes?.(image, fileBytes) ?? 0,
  };
}

/** CPU time of decoding all pixels once, in milliseconds. */
export function viewingCpu(image: Inspection, fileBytes: number): number {
  const decoder = decoderOf(image);
  return decoder.cpuMs(image, fileBytes, decoder.maxHalvings);
}

/** An error of the reader while its rows were being processed. */
export class ReadingError extends Error {
  override readonly name = 'ReadingError';
  /** Whether the reader ran out of reserved memory, in which case the picture itself may be intact. */
  readonly exhausted: boolean;
  /** Whether the reader gave up because of too much work, in which case the picture itself may be intact. */
  readonly isExcessive: boolean;

  constructor(cause: CodecError) {
    super('the picture could not be read', { cause });
    this.exhausted = cause.exhausted;
    this.isExcessive = cause instanceof ExcessiveWork;
  }
}

/**
 * Opens the rows of a picture while `use` runs, in memory that has been reserved.
 * @throws ReadingError if the file is damaged or takes more memory than is available; also whatever `use` throws
 */
export function* openRows<Result>(
  decoder: RowDecoder<Inspection>,
  file: Uint8Array,
  image: Inspection,
  how: Decoding,
  memory: Arena,
  use: (rows: RowSource) => Slices<Result>,
): Slices<Result> {
  let isOpen = false;
  try {
    return yield* openPaced(decoder, file, image, how, memory, function* (rows) {
      isOpen = true;
      return yield* use(withReadingErrors(rows));
    });
  } catch (error) {
    if (!isOpen && error instanceof CodecError) throw new ReadingError(error);
    throw error;
  }
}

/** Rows whose errors can be distinguished from those of their consumer. */
function withReadingErrors(rows: RowSource): RowSource {
  const tell = function* <Result>(reading: Slices<Result>): Slices<Result> {
    try {
      return yield* reading;
    } catch (error) {
      throw error instanceof CodecError ? new ReadingError(error) : error;
    }
  };
  return {
    width: rows.width,
    height: rows.height,
    start: () => tell(rows.start()),
    next: () => tell(rows.next()),
    end: () => tell(rows.end()),
  };
}

/**
 * Opens the rows of a picture in the arena, which nothing else may use meanwhile, and returns the result of `use`.
 * @param peak peak memory of everything that happens meanwhile
 */
export function* withRows<Result>(
  decoder: RowDecoder<Inspection>,
  file: Uint8Array,
  image: Inspection,
  how: Decoding,
  peak: Peak,
  use: (rows: RowSource) => Slices<Result>,
): Slices<Result | Refusal> {
  return yield* withinArena(peak, () => openPaced(decoder, file, image, how, arena, use));
}

/** Opens the rows of a picture, whose reading pauses. */
export function openPaced<Result>(
  decoder: RowDecoder<Inspection>,
  file: Uint8Array,
  image: Inspection,
  how: Decoding,
  memory: Arena,
  use: (rows: RowSource) => Slices<Result>,
): Slices<Result> {
  const cpuMs = decoder.cpuMs(image, file.length, how.halvings);
  return decoder.open(file, image, how, memory, (rows) =>
    use(pacedRows(rows, cpuMs / rows.height)),
  );
}

/**
 * Decodes a picture only to check that it is intact; returns null if it is, or if that would take more work than any
 * encoder makes: then it stays as browsers show it.
 */
export function* verify(file: Uint8Array, image: Inspection): Slices<Refusal | null> {
  const peak = viewingPeak(image, file.length);
  const decoder = decoderOf(image);
  const how = { halvings: decoder.maxHalvings, deepSamples: null };
  return yield* withinArena(peak, function* () {
    try {
      yield* openPaced(decoder, file, image, how, arena, (rows) => forEachRowOf(rows, () => {}));
      return null;
    } catch (error) {
      if (!(error instanceof ExcessiveWork)) throw error;
      return null;
    }
  });
}
