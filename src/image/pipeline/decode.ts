import type { Decoding, RowDecoder } from '../formats/coding.ts';
import type { Inspection } from '../formats/inspection.ts';
import { decoderOf } from '../formats/registry.ts';
import { forEachRowOf, type RowSource } from '../pixels/row-source.ts';
import type { Refusal } from '../refusal.ts';
import { type Arena, arena } from '../wasm/arena.ts';
import { CodecError } from '../wasm/codec.ts';
import type { Peak } from '../wasm/memory-ledger.ts';
import { withinArena } from '../wasm/run-in-arena.ts';

/** Predicted memory of looking at all pixels once, the file itself not counted. */
export function viewingPeak(image: Inspection, fileBytes: number): Peak {
  const decoder = decoderOf(image);
  return {
    arena: decoder.arenaBytes(image, fileBytes),
    buffers: decoder.bufferBytes?.(image, fileBytes) ?? 0,
  };
}

/** Computing time of looking at all pixels once, in milliseconds. */
export function viewingCpu(image: Inspection, fileBytes: number): number {
  const decoder = decoderOf(image);
  return decoder.cpuMs(image, fileBytes, decoder.maxHalvings);
}

/** What went wrong with reading while something else was being made of the rows. */
export class ReadingError extends Error {
  override readonly name = 'ReadingError';
  /** The reader asked for more memory than was reserved; the picture itself may be sound. */
  readonly exhausted: boolean;

  constructor(cause: CodecError) {
    super('the picture could not be read', { cause });
    this.exhausted = cause.exhausted;
  }
}

/**
 * Opens the rows of a picture for as long as `use` runs, in memory that has been reserved.
 * @throws ReadingError where the file is damaged, or takes more memory than there is; anything else that
 *   `use` throws
 */
export function openRows<Result>(
  decoder: RowDecoder<Inspection>,
  file: Uint8Array,
  image: Inspection,
  how: Decoding,
  memory: Arena,
  use: (rows: RowSource) => Result,
): Result {
  let isOpen = false;
  try {
    return decoder.open(file, image, how, memory, (rows) => {
      isOpen = true;
      return use(told(rows));
    });
  } catch (error) {
    if (!isOpen && error instanceof CodecError) throw new ReadingError(error);
    throw error;
  }
}

/** Rows whose errors can be told from those of whoever works on them. */
function told(rows: RowSource): RowSource {
  const tell = <Result>(read: () => Result): Result => {
    try {
      return read();
    } catch (error) {
      throw error instanceof CodecError ? new ReadingError(error) : error;
    }
  };
  const next = () => rows.next();
  return {
    width: rows.width,
    height: rows.height,
    start: () => tell(() => rows.start()),
    next: () => tell(next),
    end: () => tell(() => rows.end()),
  };
}

/**
 * What `use` makes of the rows of a picture in the arena, where nothing else may run meanwhile.
 * @param peak of all that happens meanwhile
 */
export function withRows<Result>(
  decoder: RowDecoder<Inspection>,
  file: Uint8Array,
  image: Inspection,
  how: Decoding,
  peak: Peak,
  use: (rows: RowSource) => Result,
): Result | Refusal {
  return withinArena(peak, () => decoder.open(file, image, how, arena, use));
}

/** Decodes a picture for nothing but to see that it is sound; null when it is. */
export function verify(file: Uint8Array, image: Inspection): Refusal | null {
  const peak = viewingPeak(image, file.length);
  const decoder = decoderOf(image);
  const how = { halvings: decoder.maxHalvings, deepSamples: null };
  return withRows(decoder, file, image, how, peak, (rows) => {
    forEachRowOf(rows, () => {});
    return null;
  });
}
