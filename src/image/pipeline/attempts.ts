import type { RowEncoder } from '../formats/coding.ts';
import type { Finished } from '../formats/format.ts';
import { type Refusal, refuseOptions, refuseTooLarge } from '../refusal.ts';
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

/** Computing time of a request that its plan leaves, in milliseconds as predicted: attempts in vain take of it. */
export class SpareCpu {
  #ms: number;

  constructor(ms: number) {
    this.#ms = ms;
  }

  get ms(): number {
    return this.#ms;
  }

  /** What follows has so much of its own, by the plan. */
  add(ms: number): void {
    this.#ms += ms;
  }

  spend(ms: number): void {
    this.#ms -= ms;
  }
}

/**
 * Makes a candidate of a picture's pixels: by the best encoder on the first way, and where memory runs out, by the next
 * one, or on the next way, that may do where those before have failed.
 *
 * @param ways those of the least computing time first
 * @param spare what attempts may take, the first one left aside, which is always made
 */
export function encode(
  encoding: Encoding,
  ways: Iterable<Conversion>,
  pixels: PreparedPixels,
  spare: SpareCpu,
): Failure | Finished {
  const attempts = new Attempts(encoding, pixels, spare);
  for (const way of ways) {
    for (const encoder of way.encoders) {
      if (!attempts.mayWork(encoder, way)) continue;
      if (way.kind === 'flowing') pixels.end();
      const made = attempts.make(encoder, way);
      if (made.kind !== 'short') return made;
    }
  }
  return { kind: 'impossible', refusal: attempts.refusal };
}

/** A result that was too long. */
interface LongResult {
  /** Bytes that it might have had. */
  readonly room: number;
  /** Bytes that results of its encoder may have, for noise. */
  readonly maxBytes: number;
}

/** Attempts at a candidate, and what ran out in them: with no more of it, they would fail again in the very same way. */
class Attempts {
  readonly #encoding: Encoding;
  readonly #pixels: PreparedPixels;
  readonly #spare: SpareCpu;
  /** The way of the first attempt. */
  #first: Conversion | undefined;
  /** Where the reader ran out of memory. */
  readonly #places = new Set<ReaderPlace>();
  /** Those that ran out of the memory that they have on any way, or gave up. */
  readonly #encoders = new Set<RowEncoder>();
  readonly #longResults: LongResult[] = [];
  #ranOut = false;

  constructor(encoding: Encoding, pixels: PreparedPixels, spare: SpareCpu) {
    this.#encoding = encoding;
    this.#pixels = pixels;
    this.#spare = spare;
  }

  /** Whether an attempt is worth its time, and there is time for it. There is room for the first one. */
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

  make(encoder: Bounded<RowEncoder>, way: Conversion): Failure | Finished | Shortage {
    this.#first ??= way;
    const cpuMs = this.#cpuMs(encoder, way);
    const readingMs = this.#isPrepared(way) ? 0 : this.#cpu(encoder, { kind: 'kept' }).pixels;
    const made = encodeBy(encoder, way, this.#encoding, this.#pixels);
    if (made.kind !== 'short') {
      this.#spare.spend(cpuMs);
      return made;
    }
    // a reader may go through all of a file before it gives a row
    this.#spare.spend(Math.min(cpuMs, readingMs + this.#shareOf(encoder, way, made.rows) * cpuMs));
    this.#remember(made, encoder, way);
    return made;
  }

  /** Why nothing came of it. */
  get refusal(): Refusal {
    if (this.#first && !this.#ranOut) return cannotBeEncoded;
    // Mostly noise comes here, since an encoder keeps more of it than of any picture.
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

  /** How far an encoder had come when it had taken so many rows. */
  #shareOf(encoder: RowEncoder, way: Conversion, rows: number): number {
    const { candidate, source } = this.#encoding;
    return Math.min(1, rows / rowsTaken(encoder, way, candidate, source));
  }

  /** Computing time of a whole attempt, in milliseconds. */
  #cpuMs(encoder: RowEncoder, way: Conversion): number {
    const { pixels, encoding } = this.#cpu(encoder, way);
    return (this.#isPrepared(way) ? 0 : pixels) + encoding;
  }

  #cpu(encoder: RowEncoder, way: Parameters<typeof attemptCpu>[0]) {
    const { candidate, source } = this.#encoding;
    return attemptCpu(way, encoder, candidate, source);
  }

  /** Whether a way begins with pixels that are there. */
  #isPrepared({ kind }: Conversion): boolean {
    return kind === 'kept' && this.#pixels.has(this.#encoding.candidate.pixels);
  }

  get #shape() {
    return encodedShape(this.#encoding.source, this.#encoding.candidate);
  }
}

/** Every encoder gave up for another reason than memory, and codecs do not say for which. */
const cannotBeEncoded = refuseOptions(
  'This picture cannot be coded like that: use another quality or format.',
);
