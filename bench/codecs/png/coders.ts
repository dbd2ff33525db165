import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { decode, encode, initSync } from '@jsquash/png/codec/pkg/squoosh_png.js';
import { inspect } from '../../../src/image/formats/registry.ts';
import type { OptimizeOptions } from '../../../src/image/pipeline/options.ts';
import { answered } from '../answer.ts';

/** PNG to PNG as the service answers it, within the memory of an isolate; undefined: refused, or an animation. */
export function answer(
  file: Uint8Array<ArrayBuffer>,
  quality: OptimizeOptions['quality'],
): Uint8Array<ArrayBuffer> | undefined {
  return answered(file, { quality })?.bytes;
}

const kinds = { 0: 'grey', 2: 'RGB', 3: 'palette', 4: 'grey, alpha', 6: 'RGBA' } as const;

/** In words, how a PNG holds its picture. */
export function layoutOf(file: Uint8Array): string {
  const result = inspect(file);
  if (result.kind !== 'image' || result.image.type !== 'png') return 'no PNG';
  const { colorType, paletteSize, bitDepth } = result.image;
  if (colorType === 3) return `palette of ${paletteSize}`;
  return bitDepth === 8 ? kinds[colorType] : `${kinds[colorType]}, ${bitDepth} bits`;
}

/** Missing in the types of Workers, where nothing is compiled. */
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
 * @jsquash/oxipng as published, level 2, in a memory of its own; its glue keeps one for ever, so this
 * speaks to the build directly.
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

  /** Of its WebAssembly memory, which never shrinks. */
  get bytes(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  /** Every sample stays as it is, colours under full transparency included. */
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

/** @jsquash/png as published, decoder and encoder: RGBA of 8 bits in between. */
export function byJsquashPng(file: Uint8Array): Uint8Array {
  const { data, width, height } = decode(file);
  return encode(new Uint8Array(data.buffer, data.byteOffset, data.length), width, height, 8);
}

/** A chunk as it stands in a file, with its length, type and checksum. */
interface FileChunk {
  readonly type: string;
  readonly bytes: Uint8Array;
}

const signatureBytes = 8;

/** What a decoder needs for the samples; all others say something about them. */
const needed = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);

/** The chunks up to IEND (PNG third edition §5.3), checksums not looked at. */
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

/** A PNG without metadata and colour profile: so the coders are compared and not what they keep. */
export function bare(file: Uint8Array): Uint8Array<ArrayBuffer> {
  const kept = chunksOf(file).filter(({ type }) => needed.has(type));
  const parts = [file.subarray(0, signatureBytes), ...kept.map(({ bytes }) => bytes)];
  return new Uint8Array(Buffer.concat(parts));
}
