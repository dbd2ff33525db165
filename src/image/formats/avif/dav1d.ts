import type { Arena } from '../../wasm/arena.ts';
import { codec } from '../../wasm/codec.ts';
import module from '../../wasm/modules/av1-decode.wasm';

/** A place in the arena, in bytes from its beginning. */
export type Pointer = number;

/** Samples of a decoded frame, one byte each, where dav1d keeps them until it decodes another frame. */
export interface Frame {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly luma: Pointer;
  /** Bytes from a row to the next. */
  readonly lumaStride: number;
  /** 0 in a gray picture. */
  readonly blue: Pointer;
  readonly red: Pointer;
  readonly chromaStride: number;
}

/** dav1d for 8-bit streams, as a media player has wrapped it. */
export interface Dav1d {
  /** Memory that is not given back during the run; 0 where there is none left. */
  allocate(bytes: number): Pointer;
  free(at: Pointer): void;
  /** The last frame of coded data; null if they are damaged or there was no room. */
  decode(data: Pointer, length: number): Frame | null;
}

/** What the build exports, by the names that its glue code knows it by. */
interface PlayerExports {
  /** Constructors of statics. */
  i(): void;
  /** Opens the decoder. */
  j(): void;
  /** Decodes data, and calls back for each frame; 1 where there was one. */
  n(data: Pointer, length: number): number;
  o(at: Pointer): void;
  q(bytes: number): Pointer;
}

/**
 * What the decoder is called with for a frame: places, strides, then sizes, of which the eleventh and twelfth are the
 * picture's.
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
      // files, of which it has none: what it prints would only fill the log
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

/** EBADF, as WASI numbers it. */
const badFile = 8;

/** Whether the memory holds so many bytes now. */
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
