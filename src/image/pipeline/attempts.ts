import type { RowEncoder } from '../formats/coding.ts';
import type { Finished } from '../formats/format.ts';
import { type Refusal, refuseOptions, refuseTooLarge } from '../refusal.ts';
import type { Slices } from '../slices.ts';
import { ledger } from '../wasm/memory-ledger.ts';
import {
  attemptCpu,
  type Bounded,
  type Conversion,
  encodedShape,
  type ReaderPlace,
  rowsTaken,
} from './conversion.ts';
import { type Encoding, encodeBy, resultRoomOf, type Shortage } from './encode.ts';
import type { PreparedPixels } from './prepare-pixels.ts';
import type { Failure } from './result.ts';

/** Predicted CPU time left over by the plan of a request, in milliseconds, from which failed attempts are paid. */
export class SpareCpu {
  #ms: number;

  constructor(ms: number) {
    this.#ms = ms;
  }

  get ms(): number {
    return this.#ms;
  }

  /** Adds time that the plan provides for what follows. */
  add(ms: number): void {
    this.#ms += ms;
  }

  spend(ms: number): void {
    this.#ms -= ms;
  }
}

/**
 * Encodes a candidate from pixels: with the best encoder and the first conversion, and if memory runs out, with the
 * next encoder or conversion that may succeed where the earlier ones have failed.
 *
 * @param ways conversions in order of CPU time, fastest first
 * @param spare CPU time for further attempts; the first one is always made
 */
export function* encode(
  encoding: Encoding,
  ways: Iterable<Conversion>,
  pixels: PreparedPixels,
  spare: SpareCpu,
): Slices<Failure | Finished> {
  const attempts = new Attempts(encoding, pixels, spare);
  for (const way of ways) {
    for (const encoder of way.encoders) {
      if (!attempts.mayWork(encoder, way)) continue;
      if (way.kind === 'flowing') pixels.end();
      const made = yield* attempts.make(encoder, way);
      if (made.kind !== 'short') return made;
    }
  }
  return { kind: 'impossible', refusal: attempts.refusal };
}

/** A result that exceeded its limit. */
interface LongResult {
  /** The limit in bytes. */
  readonly room: number;
  /** Maximum result size of its encoder for noise, in bytes. */
  readonly maxBytes: number;
}

/** Tracks the attempts at a candidate and what each ran out of, since it would fail again with no more of it. */
class Attempts {
  readonly #encoding: Encoding;
  readonly #pixels: PreparedPixels;
  readonly #spare: SpareCpu;
  /** The conversion of the first attempt. */
  #first: Conversion | undefined;
  /** Places in which the reader ran out of memory. */
  readonly #places = new Set<ReaderPlace>();
  /** Encoders that ran out of memory that is the same for all conversions, or that gave up. */
  readonly #encoders = new Set<RowEncoder>();
  readonly #longResults: LongResult[] = [];
  #ranOut = false;

  constructor(encoding: Encoding, pixels: PreparedPixels, spare: SpareCpu) {
    this.#encoding = encoding;
    this.#pixels = pixels;
    this.#spare = spare;
  }

  /** Whether an attempt may succeed, and there is time for it. The first one is always allowed. */
  mayWork(encoder: Bounded<RowEncoder>, way: Conversion): boolean {
    if (!this.#first) return true;
    if (way.kind === 'flowing' && this.#places.has(way.reader)) return false;
    if (this.#encoders.has(encoder)) return false;
    if (this.#cpuMs(encoder, way) > this.#spare.ms) return false;
    if (way !== this.#first && !ledger.makesRoomFor(way.peak)) return false;
    if (this.#longResults.length === 0) return true;
    const room = resultRoomOf(encoder, way, this.#encoding, this.#pixels);
    return this.#longResults.every(
      (long) => room > long.room || encoder.maxBufferBytes < long.maxBytes,
    );
  }

  *make(encoder: Bounded<RowEncoder>, way: Conversion): Slices<Failure | Finished | Shortage> {
    this.#first ??= way;
    const cpuMs = this.#cpuMs(encoder, way);
    const readingMs = this.#isPrepared(way) ? 0 : this.#cpu(encoder, { kind: 'kept' }).pixels;
    const made = yield* encodeBy(encoder, way, this.#encoding, this.#pixels);
    if (made.kind !== 'short') {
      this.#spare.spend(cpuMs);
      return made;
    }
    // A reader may process the whole file before it returns the first row.
    this.#spare.spend(Math.min(cpuMs, readingMs + this.#shareOf(encoder, way, made.rows) * cpuMs));
    this.#remember(made, encoder, way);
    return made;
  }

  /** Why all attempts failed. */
  get refusal(): Refusal {
    if (this.#first && !this.#ranOut) return cannotBeEncoded;
    // This is mostly noise, of which an encoder holds more than of any real picture.
    const { width, height } = this.#shape;
    return refuseTooLarge(Math.floor((width * height) / 2));
  }

  #remember({ of }: Shortage, encoder: Bounded<RowEncoder>, way: Conversion): void {
    this.#ranOut ||= of !== null;
    if (of === 'reader' && way.kind === 'flowing') this.#places.add(way.reader);
    if (of === 'encoder' || of === null) this.#encoders.add(encoder);
    if (of === 'result') {
      const room = resultRoomOf(encoder, way, this.#encoding, this.#pixels);
      this.#longResults.push({ room, maxBytes: encoder.maxBufferBytes });
    }
  }

  /** The share of the work done when an encoder had read this many rows. */
  #shareOf(encoder: RowEncoder, way: Conversion, rows: number): number {
    const { candidate, source } = this.#encoding;
    return Math.min(1, rows / rowsTaken(encoder, way, candidate, source));
  }

  /** CPU time of a complete attempt, in milliseconds. */
  #cpuMs(encoder: RowEncoder, way: Conversion): number {
    const { pixels, encoding } = this.#cpu(encoder, way);
    return (this.#isPrepared(way) ? 0 : pixels) + encoding;
  }

  #cpu(encoder: RowEncoder, way: Parameters<typeof attemptCpu>[0]) {
    const { candidate, source } = this.#encoding;
    return attemptCpu(way, encoder, candidate, source);
  }

  /** Whether a conversion starts from pixels that are already prepared. */
  #isPrepared({ kind }: Conversion): boolean {
    return kind === 'kept' && this.#pixels.has(this.#encoding.candidate.pixels);
  }

  get #shape() {
    return encodedShape(this.#encoding.source, this.#encoding.candidate);
  }
}

/** All encoders gave up for a reason other than memory; codecs do not say which. */
const cannotBeEncoded = refuseOptions(
  'This picture cannot be coded like that: use another quality or format.',
);
