import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Missing in the types of Workers, where nothing is compiled. */
const { compile } = WebAssembly as unknown as {
  compile(binary: Uint8Array): Promise<WebAssembly.Module>;
};
const path = createRequire(import.meta.url).resolve(
  '@jsquash/oxipng/codec/pkg/squoosh_oxipng_bg.wasm',
);
const module = await compile(await readFile(path));

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
