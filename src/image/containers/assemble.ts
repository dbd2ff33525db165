/** Takes the bytes of a file in their order. */
export interface Sink {
  /** Bytes written so far. */
  readonly position: number;
  /** Bytes of the whole file; 0 as long as they are only being counted. */
  readonly total: number;
  write(bytes: Uint8Array): void;
}

/**
 * Runs `build` twice, first to count and then to copy, so that the file is allocated once and in its
 * exact size, and no list of pieces exists: a hostile file of millions of tiny chunks costs no more
 * memory than one of few large ones. `build` must therefore write the same lengths both times.
 */
export function assemble(build: (sink: Sink) => void): Uint8Array<ArrayBuffer> {
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
  const file = new Uint8Array(total);
  let position = 0;
  build({
    get position() {
      return position;
    },
    total,
    write(bytes) {
      file.set(bytes, position);
      position += bytes.length;
    },
  });
  return file;
}
