import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { decode, encode, initSync } from '@jsquash/png/codec/pkg/squoosh_png.js';
import { inspect } from '../../../src/image/formats/registry.ts';
import type { OptimizeOptions } from '../../../src/image/pipeline/options.ts';
import { answered } from '../answer.ts';

/** PNG to PNG as the service does it, within the memory of an isolate; undefined if it is refused, or an animation. */
export function answer(
  file: Uint8Array<ArrayBuffer>,
  quality: OptimizeOptions['quality'],
): Uint8Array<ArrayBuffer> | undefined {
  return answered(file, { quality })?.bytes;
}

const kinds = { 0: 'grey', 2: 'RGB', 3: 'palette', 4: 'grey, alpha', 6: 'RGBA' } as const;

/** Describes the pixel format of a PNG in words. */
export function layoutOf(file: Uint8Array): string {
  const result = inspect(file);
  if (result.kind !== 'image' || result.image.type !== 'png') return 'no PNG';
  const { colorType, paletteSize, bitDepth } = result.image;
  if (colorType === 3) return `palette of ${paletteSize}`;
  return bitDepth === 8 ? kinds[colorType] : `${kinds[colorType]}, ${bitDepth} bits`;
}

/** API missing from the types of Workers, where nothing is compiled. */
const { compile } = WebAssembly as unknown as {
  compile(binary: Uint8Array): Promise<WebAssembly.Module>;
};
const oxipngPath = createRequire(import.meta.url).resolve(
  '@jsquash/oxipng/codec/pkg/squoosh_oxipng_bg.wasm',
);
const module = await compile(await readFile(oxipngPath));

interface Exports {
  readonly memory: WebAssembly.Memory;
  optimise(
    answer: number,
    pointer: number,
    length: number,
    level: number,
    interlace: boolean,
    optimiseAlpha: boolean,
  ): void;
  __wbindgen_add_to_stack_pointer(bytes: number): number;
  __wbindgen_malloc(bytes: number, alignment: number): number;
  __wbindgen_free(pointer: number, bytes: number, alignment: number): void;
}

const level = 2;

/**
 * @jsquash/oxipng as published, at level 2, with a memory of its own. This class calls the build directly, because the
 * package's glue code keeps a single instance forever.
 */
export class Oxipng {
  readonly #exports: Exports;

  constructor() {
    const fail = () => {
      throw new Error('oxipng gave up');
    };
    const { exports } = new WebAssembly.Instance(module, { wbg: { __wbindgen_throw: fail } });
    this.#exports = exports as unknown as Exports;
  }

  /** Bytes of its WebAssembly memory, which never shrinks. */
  get bytes(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  /** Optimizes a PNG without changing any sample, including colors under full transparency. */
  optimise(file: Uint8Array): Uint8Array<ArrayBuffer> {
    const { memory, ...calls } = this.#exports;
    const answer = calls.__wbindgen_add_to_stack_pointer(-16);
    const input = calls.__wbindgen_malloc(file.length, 1) >>> 0;
    new Uint8Array(memory.buffer).set(file, input);
    calls.optimise(answer, input, file.length, level, false, false);
    const [pointer = 0, length = 0] = new Uint32Array(memory.buffer, answer, 2);
    const result = new Uint8Array(memory.buffer).slice(pointer, pointer + length);
    calls.__wbindgen_free(pointer, length, 1);
    calls.__wbindgen_add_to_stack_pointer(16);
    return result;
  }
}

const jsquashPath = createRequire(import.meta.url).resolve(
  '@jsquash/png/codec/pkg/squoosh_png_bg.wasm',
);
initSync(await readFile(jsquashPath));

/** Decodes and encodes with @jsquash/png as published, via RGBA of 8 bits. */
export function byJsquashPng(file: Uint8Array): Uint8Array {
  const { data, width, height } = decode(file);
  return encode(new Uint8Array(data.buffer, data.byteOffset, data.length), width, height, 8);
}

/** A chunk of a file, including its length, type and checksum. */
interface FileChunk {
  readonly type: string;
  readonly bytes: Uint8Array;
}

const signatureBytes = 8;

/** Chunks that a decoder needs for the samples; all others are metadata. */
const neededChunks = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);

/** The chunks up to IEND (PNG third edition §5.3); checksums are not verified. */
export function chunksOf(file: Uint8Array): FileChunk[] {
  const chunks: FileChunk[] = [];
  for (let at = signatureBytes; at + 12 <= file.length; ) {
    const length = Buffer.from(file.buffer, file.byteOffset + at, 4).readUInt32BE();
    const type = String.fromCharCode(...file.subarray(at + 4, at + 8));
    chunks.push({ type, bytes: file.subarray(at, at + 12 + length) });
    if (type === 'IEND') break;
    at += 12 + length;
  }
  return chunks;
}

/** Removes metadata and color profile, so that only the coders are compared. */
export function bare(file: Uint8Array): Uint8Array<ArrayBuffer> {
  const kept = chunksOf(file).filter(({ type }) => neededChunks.has(type));
  const parts = [file.subarray(0, signatureBytes), ...kept.map(({ bytes }) => bytes)];
  return new Uint8Array(Buffer.concat(parts));
}
