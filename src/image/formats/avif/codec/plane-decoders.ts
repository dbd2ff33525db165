import type { Arena } from '../../../wasm/arena.ts';
import { codec } from '../../../wasm/codec.ts';
import dav1dModule from '../../../wasm/modules/av1-decode.wasm';
import libaomModule from '../../../wasm/modules/avif-decode.wasm';

/** A byte offset in the arena. */
export type Pointer = number;

/** The planes of a decoded frame, valid until the data of another one are placed. */
export interface Frame {
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
  /** Beyond 8, a sample takes two bytes, the lower one first. */
  readonly bitDepth: number;
  readonly luma: Pointer;
  /** Bytes from one row to the next. */
  readonly lumaStride: number;
  /** Offsets of the chroma planes, which have no meaning in a gray picture. */
  readonly blue: Pointer;
  readonly red: Pointer;
  readonly chromaStride: number;
}

/** Which of several layers to show (AV1 Image File Format 1.1 §2.3.2). */
export interface Layers {
  readonly operatingPoint: number;
  /** Its spatial layer; null for the highest. */
  readonly layer: number | null;
}

export interface PlaneDecoder {
  readonly maxBitDepth: number;
  /** Allocates memory that stays until it is freed or the run ends; returns 0 if there is none left. */
  allocate(bytes: number): Pointer;
  free(at: Pointer): void;
  /** Allocates memory for the data of a picture; returns 0 if there is none left. */
  place(bytes: number): Pointer;
  /** Decodes the data of one picture; null if they are damaged or there was no room. */
  decode(data: Pointer, length: number, layers: Layers): Frame | null;
}

/** The exports of codecs/libaom/decoder.c. */
interface LibaomExports {
  allocate(bytes: number): Pointer;
  free(at: Pointer): void;
  place(bytes: number): Pointer;
  /** Returns the frame as eight numbers; 0 if it failed. A layer of −1 is the highest. */
  decode(data: Pointer, length: number, operatingPoint: number, layer: number): Pointer;
}

/** Links a module of codecs/libaom to the arena, and returns its functions. */
export function linkedLibaom<Exports>(module: WebAssembly.Module, arena: Arena): Exports {
  const { memory } = arena;
  const extendTo = (end: number) => arena.extendTo(end >>> 0);
  const instance = new WebAssembly.Instance(module, { arena: { memory, extendTo } });
  return instance.exports as unknown as Exports;
}

/** libaom, for all depths and layers. */
export const libaom = codec(
  'avif-decode',
  (arena): PlaneDecoder => {
    const { memory } = arena;
    const exports = linkedLibaom<LibaomExports>(libaomModule, arena);
    return {
      maxBitDepth: 12,
      allocate: (bytes) => exports.allocate(bytes) >>> 0,
      free: (at) => exports.free(at),
      place: (bytes) => exports.place(bytes) >>> 0,
      decode(data, length, { operatingPoint, layer }) {
        const at = exports.decode(data, length, operatingPoint, layer ?? -1) >>> 0;
        if (at === 0) return null;
        const [width = 0, height = 0, bitDepth = 0, ...planes] = new Uint32Array(
          memory.buffer,
          at,
          8,
        );
        const [luma = 0, blue = 0, red = 0, lumaStride = 0, chromaStride = 0] = planes;
        return { width, height, bitDepth, luma, lumaStride, blue, red, chromaStride };
      },
    };
  },
  'as-needed',
);

/** The exports of dav1d in the build of a media player, under the names in its glue code. */
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

function openedDav1d(arena: Arena): PlaneDecoder {
  let numbers: FrameNumbers | null = null;
  const exports = linked(arena, (frame) => {
    numbers = frame;
  });
  exports.i();
  exports.j();
  const allocate = (bytes: number) => exports.q(bytes) >>> 0;
  return {
    maxBitDepth: 8,
    allocate,
    free: (at) => exports.o(at),
    place: allocate,
    decode(data, length) {
      numbers = null;
      exports.n(data, length);
      return numbers && frameOf(numbers);
    },
  };
}

/** dav1d for 8-bit streams with one layer, in three quarters of libaom's time. */
export const dav1d = codec('av1-decode', openedDav1d, 'as-needed');

function linked(arena: Arena, receive: (frame: FrameNumbers) => void): PlayerExports {
  const { memory } = arena;
  const instance = new WebAssembly.Instance(dav1dModule, {
    arena: { memory },
    a: {
      // File functions: there are no files, and its output would only fill the log.
      a: () => badFile,
      b: () => badFile,
      d: () => badFile,
      c: (bytes: number) => arena.extendTo(bytes >>> 0),
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

function frameOf(numbers: FrameNumbers): Frame {
  const [luma = 0, lumaStride = 0, blue = 0, chromaStride = 0, red = 0] = numbers;
  const [width = 0, height = 0] = numbers.slice(10);
  return { width, height, bitDepth: 8, luma, lumaStride, blue, red, chromaStride };
}
