import { buffers, type Workspace } from './workspace.ts';

/**
 * Compressed output as the kernel hands it over: the best stream so far, and the one that is tried, in
 * pieces that are allocated as it comes. What nobody wants any more is freed at once, since the
 * collector may come too late for the next one.
 */
export class DrainedOutput {
  readonly #maxBytes: number;
  #best: StreamPieces | null = null;
  #tried: StreamPieces | null = null;

  /** @param maxBytes that the two streams may take together */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that a stream can have beside the best one. */
  get room(): number {
    return Math.min(this.#maxBytes - (this.#best?.heldBytes ?? 0), longestStream);
  }

  /** A stream follows that has at most so many bytes. */
  begin(maxBytes: number): void {
    this.drop();
    this.#tried = new StreamPieces(maxBytes);
  }

  take(bytes: Uint8Array): void {
    this.#tried?.append(bytes);
  }

  /** The stream that was begun is complete, and the best from now on. */
  keep(): void {
    this.#best?.free();
    this.#best = this.#tried;
    this.#tried = null;
  }

  /** The stream that was begun comes to nothing. */
  drop(): void {
    this.#tried?.free();
    this.#tried = null;
  }

  /** The best stream, in parts; they are gone with `clear`. */
  get best(): readonly Uint8Array<ArrayBuffer>[] {
    return this.#best?.parts ?? [];
  }

  /** Frees all that is held. */
  clear(): void {
    this.drop();
    this.keep();
  }
}

/** The kernel counts the bytes of a stream in 32 bits, with a sign. */
const longestStream = 2 ** 31 - 1;

/** Bytes of a stream's first piece; each one has twice as many as the one before, up to the largest. */
const firstPieceBytes = 2 ** 18;
export const largestPieceBytes = 2 ** 20;

/** A stream of at most so many bytes, which never takes more than that. */
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

  /** Bytes that it may have in all. */
  get maxBytes(): number {
    return this.#maxBytes;
  }

  /** Bytes that it can still have. */
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

  /** @throws RangeError if it is more than the stream may have */
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

  /** What the last piece has left, or a piece of its own. */
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
