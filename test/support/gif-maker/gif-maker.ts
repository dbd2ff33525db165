import { lzwCodes, packedCodes } from './lzw.ts';

/** A frame to create; absent members have minimal defaults. */
export interface MadeFrame {
  readonly left?: number;
  readonly top?: number;
  readonly width: number;
  readonly height: number;
  /** One index per pixel, rows from top to bottom, however they are coded. */
  readonly indices: ArrayLike<number>;
  readonly isInterlaced?: boolean;
  /** Red, green and blue of each color; the number of colors is a power of two. */
  readonly localTable?: readonly number[];
  /** 2 to 8; 8 if absent. */
  readonly minCodeSize?: number;
  /** The graphic control extension; omitted if absent. */
  readonly control?: {
    readonly disposal?: number;
    readonly delay?: number;
    readonly transparent?: number;
  };
  /** Sub-blocks with their terminator, instead of those encoded from the indices. */
  readonly data?: Uint8Array;
}

export interface MadeGif {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each color; the number of colors is a power of two. */
  readonly globalTable?: readonly number[];
  readonly frames: readonly MadeFrame[];
  /** Repetitions after the first play, 0: endless; no loop block if absent. */
  readonly loops?: number;
  /** Blocks before the frames. */
  readonly blocks?: readonly Uint8Array[];
  readonly hasTrailer?: boolean;
}

/** A GIF, created as simply as possible (GIF89a). */
export function madeGif({ width, height, globalTable, frames, ...more }: MadeGif): Uint8Array {
  const { loops, blocks = [], hasTrailer = true } = more;
  const size = globalTable ? 0x80 | (Math.log2(globalTable.length / 3) - 1) : 0;
  const loop = loops === undefined ? [] : [extension(0xff, 'NETSCAPE2.0', [1, ...word(loops)])];
  return Uint8Array.from([
    ...bytesOf('GIF89a'),
    ...[...word(width), ...word(height), size, 0, 0],
    ...(globalTable ?? []),
    ...[...loop, ...blocks].flatMap((block) => [...block]),
    ...frames.flatMap((frame) => [...frameBytes(frame)]),
    ...(hasTrailer ? [0x3b] : []),
  ]);
}

/** An extension of sub-blocks, each given as a string or bytes. */
export function extension(label: number, ...parts: (string | readonly number[])[]): Uint8Array {
  const content = parts.flatMap((part) => {
    const bytes = typeof part === 'string' ? bytesOf(part) : part;
    return [bytes.length, ...bytes];
  });
  return Uint8Array.from([0x21, label, ...content, 0]);
}

/** Bytes in sub-blocks, with a terminator. */
export function subBlocks(bytes: Uint8Array): Uint8Array {
  const parts: number[] = [];
  for (let at = 0; at < bytes.length; at += 255) {
    const part = bytes.subarray(at, at + 255);
    parts.push(part.length, ...part);
  }
  return Uint8Array.from([...parts, 0]);
}

function* frameBytes(frame: MadeFrame): Generator<number> {
  const { left = 0, top = 0, width, height, localTable, minCodeSize = 8, control } = frame;
  if (control) {
    const { disposal = 0, delay = 0, transparent } = control;
    const flags = (disposal << 2) | (transparent === undefined ? 0 : 1);
    yield* [0x21, 0xf9, 4, flags, ...word(delay), transparent ?? 0, 0];
  }
  yield* [0x2c, ...word(left), ...word(top), ...word(width), ...word(height)];
  const size = localTable ? 0x80 | (Math.log2(localTable.length / 3) - 1) : 0;
  yield size | (frame.isInterlaced ? 0x40 : 0);
  yield* localTable ?? [];
  yield minCodeSize;
  if (frame.data) {
    yield* frame.data;
    return;
  }
  const indices = frame.isInterlaced ? interlaced(frame) : frame.indices;
  yield* subBlocks(packedCodes(lzwCodes(indices, minCodeSize), minCodeSize));
}

/** Rows in the order of the four passes (GIF89a appendix E). */
function interlaced({ width, height, indices }: MadeFrame): number[] {
  const all = Array.from(indices);
  const passes = [
    [0, 8],
    [4, 8],
    [2, 4],
    [1, 2],
  ] as const;
  return passes.flatMap(([first, step]) => {
    const rows: number[] = [];
    for (let y = first; y < height; y += step) rows.push(...all.slice(y * width, (y + 1) * width));
    return rows;
  });
}

function bytesOf(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}

function word(value: number): [number, number] {
  return [value & 0xff, value >> 8];
}
