import type { Arena } from '../../wasm/arena.ts';
import { codec } from '../../wasm/codec.ts';
import module from '../../wasm/modules/av1-decode.wasm';

/** A byte offset in the arena. */
export type Pointer = number;

/** The planes of a decoded frame, one byte per sample, valid until dav1d decodes another frame. */
export interface Frame {
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
  readonly luma: Pointer;
  /** Bytes from one row to the next. */
  readonly lumaStride: number;
  /** Offsets of the chroma planes; 0 in a gray picture. */
  readonly blue: Pointer;
  readonly red: Pointer;
  readonly chromaStride: number;
}

/** dav1d for 8-bit streams, in the build of a media player. */
export interface Dav1d {
  /** Allocates memory for the rest of the run; returns 0 if there is none left. */
  allocate(bytes: number): Pointer;
  free(at: Pointer): void;
  /** Decodes data and returns the last frame; null if the data is damaged or there was no room. */
  decode(data: Pointer, length: number): Frame | null;
}

/** The exports of the build, under the names in its glue code. */
interface PlayerExports {
  /** Runs static constructors. */
  i(): void;
  /** Opens the decoder. */
  j(): void;
  /** Decodes data, and calls back for each frame; returns 1 if there was one. */
  n(data: Pointer, length: number): number;
  o(at: Pointer): void;
  q(bytes: number): Pointer;
}

/**
 * The arguments of the callback for a frame: offsets, strides, then sizes, the eleventh and twelfth of which are those
 * of the picture.
 */
type FrameNumbers = readonly number[];

function opened(arena: Arena): Dav1d {
  let numbers: FrameNumbers | null = null;
  const exports = linked(arena, (frame) => {
    numbers = frame;
  });
  exports.i();
  exports.j();
  return {
    allocate: (bytes) => exports.q(bytes) >>> 0,
    free: (at) => exports.o(at),
    decode(data, length) {
      numbers = null;
      exports.n(data, length);
      return numbers && frameOf(numbers);
    },
  };
}

export const dav1d = codec('av1-decode', opened, 'as-needed');

function linked(arena: Arena, receive: (frame: FrameNumbers) => void): PlayerExports {
  const { memory } = arena;
  const instance = new WebAssembly.Instance(module, {
    arena: { memory },
    a: {
      // File functions: there are no files, and its output would only fill the log.
      a: () => badFile,
      b: () => badFile,
      d: () => badFile,
      c: (bytes: number) => grown(arena, bytes >>> 0),
      e(to: Pointer, from: Pointer, length: number) {
        new Uint8Array(memory.buffer).copyWithin(to, from, from + length);
        return to;
      },
      f: () => {
        throw new Error('dav1d has given up');
      },
      g: (...frame: number[]) => receive(frame),
    },
  });
  return instance.exports as unknown as PlayerExports;
}

/** EBADF in WASI. */
const badFile = 8;

/** Grows the memory to this many bytes; returns false if that fails. */
function grown(arena: Arena, bytes: number): boolean {
  try {
    arena.grow(Math.ceil((bytes - arena.bytes) / 65_536));
    return true;
  } catch {
    return false;
  }
}

function frameOf(numbers: FrameNumbers): Frame {
  const [luma = 0, lumaStride = 0, blue = 0, chromaStride = 0, red = 0] = numbers;
  const [width = 0, height = 0] = numbers.slice(10);
  return { width, height, luma, lumaStride, blue, red, chromaStride };
}
