import { buffers, type Workspace } from './workspace.ts';

/**
 * Collects compressed output drained from a kernel: the best stream so far and the one being tried, in
 * pieces that are allocated as output arrives. Discarded streams are freed at once, since garbage
 * collection may come too late for the next one.
 */
export class DrainedOutput {
  readonly #maxBytes: number;
  #best: StreamPieces | null = null;
  #tried: StreamPieces | null = null;

  /** @param maxBytes maximum bytes of both streams together */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Maximum bytes of a stream while the best one is held. */
  get room(): number {
    return Math.min(this.#maxBytes - (this.#best?.heldBytes ?? 0), longestStream);
  }

  /** Begins a stream of at most `maxBytes` bytes. */
  begin(maxBytes: number): void {
    this.drop();
    this.#tried = new StreamPieces(maxBytes);
  }

  take(bytes: Uint8Array): void {
    this.#tried?.append(bytes);
  }

  /** Completes the current stream and makes it the best one. */
  keep(): void {
    this.#best?.free();
    this.#best = this.#tried;
    this.#tried = null;
  }

  /** Discards the current stream. */
  drop(): void {
    this.#tried?.free();
    this.#tried = null;
  }

  /** The parts of the best stream; `clear` frees them. */
  get best(): readonly Uint8Array<ArrayBuffer>[] {
    return this.#best?.parts ?? [];
  }

  /** Frees both streams. */
  clear(): void {
    this.drop();
    this.keep();
  }
}

/** The kernel counts the bytes of a stream in a signed 32-bit integer. */
const longestStream = 2 ** 31 - 1;

/** Bytes of a stream's first piece. Each piece is twice as large as the preceding one, up to `largestPieceBytes`. */
const firstPieceBytes = 2 ** 18;
export const largestPieceBytes = 2 ** 20;

/** A stream of at most `maxBytes` bytes, whose pieces never take more than that. */
export class StreamPieces {
  readonly #maxBytes: number;
  readonly #memory: Workspace;
  readonly #pieces: Uint8Array<ArrayBuffer>[] = [];
  #heldBytes = 0;
  #length = 0;

  constructor(maxBytes: number, memory: Workspace = buffers) {
    this.#maxBytes = maxBytes;
    this.#memory = memory;
  }

  /** Maximum length of the stream in bytes. */
  get maxBytes(): number {
    return this.#maxBytes;
  }

  /** Bytes that may still be appended. */
  get room(): number {
    return this.#maxBytes - this.#length;
  }

  /** Bytes of all pieces, the last of which may not be full. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  get parts(): readonly Uint8Array<ArrayBuffer>[] {
    const unused = this.#heldBytes - this.#length;
    return this.#pieces.map((piece, index) =>
      index === this.#pieces.length - 1 ? piece.subarray(0, piece.length - unused) : piece,
    );
  }

  /** @throws RangeError if the stream would exceed its maximum length */
  append(bytes: Uint8Array): void {
    for (let rest = bytes; rest.length > 0; ) {
      const place = this.#nextPlace();
      const fitting = rest.subarray(0, place.length);
      place.set(fitting);
      this.#length += fitting.length;
      rest = rest.subarray(fitting.length);
    }
  }

  free(): void {
    for (const piece of this.#pieces.splice(0)) this.#memory.giveBack(piece);
    this.#heldBytes = 0;
    this.#length = 0;
  }

  /** The unused part of the last piece, or a new piece. */
  #nextPlace(): Uint8Array<ArrayBuffer> {
    const unused = this.#heldBytes - this.#length;
    const last = this.#pieces.at(-1);
    if (last && unused > 0) return last.subarray(last.length - unused);
    if (this.#heldBytes === this.#maxBytes)
      throw new RangeError('A stream is longer than it may be.');
    const wanted = Math.min(2 * (last?.length ?? firstPieceBytes / 2), largestPieceBytes);
    const piece = this.#memory.take(Math.min(wanted, this.#maxBytes - this.#heldBytes));
    this.#pieces.push(piece);
    this.#heldBytes += piece.length;
    return piece;
  }
}
