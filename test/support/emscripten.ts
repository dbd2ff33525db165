import type { Arena } from '../../src/image/wasm/arena.ts';
import type { Opener } from '../../src/image/wasm/codec.ts';

/** The interface of encoders built by @jsquash; `options` must have every field of their C structure. */
export interface EmscriptenEncoder<Options> {
  encode(
    pixels: Uint8Array | Uint8ClampedArray,
    width: number,
    height: number,
    options: Options,
  ): Uint8Array<ArrayBuffer> | null;
}

/** Emscripten's `Module` object: options when it is passed in, and the codec's functions after linking. */
interface ModuleObject {
  noInitialRun: true;
  print(text: string): void;
  printErr(text: string): void;
  instantiateWasm(
    imports: WebAssembly.Imports,
    receive: (linked: { exports: WebAssembly.Exports }) => void,
  ): WebAssembly.Exports;
}

/**
 * Links an Emscripten build, consisting of glue code and the rebuilt module, to the arena.
 *
 * The factory returns a promise. With a compiled module, however, everything is linked into the given object when the
 * call returns; only failures arrive later.
 *
 * @param glue the package's factory; its published type lacks `instantiateWasm`, with which a Worker provides a
 *   compiled module
 * @param module returns the rebuilt module, which may be compiled after this call
 */
export function emscripten<Api>(glue: unknown, module: () => WebAssembly.Module): Opener<Api> {
  const factory = glue as (object: ModuleObject) => Promise<unknown>;
  return (arena) => {
    const object: ModuleObject = {
      noInitialRun: true,
      print: ignore,
      printErr: ignore,
      instantiateWasm(imports, receive) {
        const own = { arena: { memory: arena.memory } };
        const linked = new WebAssembly.Instance(module(), { ...imports, ...own });
        const exports: WebAssembly.Exports = { ...linked.exports };
        for (const [name, value] of Object.entries(exports)) {
          if (value === arena.memory) exports[name] = guarded(arena);
        }
        receive({ exports });
        return exports;
      },
    };
    factory(object).catch(ignore);
    return object as ModuleObject & Api;
  };
}

/** The memory for the glue code, whose growth is subject to the arena's limit. */
function guarded(arena: Arena): WebAssembly.Memory {
  const memory: Pick<WebAssembly.Memory, 'buffer' | 'grow'> = {
    get buffer() {
      return arena.memory.buffer;
    },
    grow: (pages) => arena.grow(Math.ceil(pages)),
  };
  return memory as WebAssembly.Memory;
}

/** Discards the output of codecs: they report damage by their result, and would only fill the log. */
function ignore(): void {}
