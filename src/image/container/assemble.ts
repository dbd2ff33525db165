/** Receives the bytes of a file in order. */
export interface Sink {
  /** Bytes written so far. */
  readonly position: number;
  /** Bytes of the whole file; 0 while they are only counted. */
  readonly total: number;
  write(bytes: Uint8Array): void;
}

/** Writes a file. It may run several times and has to write the same lengths each time. */
export type Build = (sink: Sink) => void;

/**
 * Runs `build` twice, first to count and then to copy, so that the file is allocated once in its exact
 * size, without a list of pieces: a hostile file of millions of tiny chunks takes no more memory than
 * one of a few large ones.
 */
export function assemble(build: Build): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(lengthOf(build));
  assembleInto(file, build);
  return file;
}

/** Bytes that `build` writes. */
export function lengthOf(build: Build): number {
  let total = 0;
  build({
    get position() {
      return total;
    },
    total: 0,
    write(bytes) {
      total += bytes.length;
    },
  });
  return total;
}

/** @param file an array of exactly the length that `build` writes */
export function assembleInto(file: Uint8Array, build: Build): void {
  let position = 0;
  build({
    get position() {
      return position;
    },
    total: file.length,
    write(bytes) {
      file.set(bytes, position);
      position += bytes.length;
    },
  });
}

/** The bytes of a tag or signature. */
export function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/**
 * Concatenates bytes. Lists are passed as arrays, since a file may have more pieces than a call can have arguments.
 */
export function joinBytes(
  ...pieces: readonly (Uint8Array | readonly Uint8Array[])[]
): Uint8Array<ArrayBuffer> {
  const all = pieces.flat();
  return assemble((sink) => {
    for (const piece of all) sink.write(piece);
  });
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** Whether bytes start with an ASCII text. Allocates nothing, since a file may have a signature every few bytes. */
export function startsWith(bytes: Uint8Array, text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if (bytes[i] !== text.charCodeAt(i)) return false;
  }
  return true;
}

/**
 * The file's structure cannot be rewritten as requested. The only error of this folder: any other error,
 * for any input, is a bug.
 */
export class ContainerError extends Error {
  override readonly name = 'ContainerError';
}

/** Big-endian 16-bit integers. */
export function uint16(...values: number[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => [value >>> 8, value & 0xff]));
}

/** Big-endian 32-bit integers. */
export function uint32(...values: number[]): Uint8Array {
  return uint16(...values.flatMap((value) => [value >>> 16, value & 0xffff]));
}
