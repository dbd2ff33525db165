import type { Raster } from '../raster.ts';
import type { Arena } from './arena.ts';
import type { Opener } from './instance.ts';

/** What the decoders built by @jsquash offer. */
export interface EmscriptenDecoder {
  /** The second argument differs: JPEG `preserveOrientation`, AVIF `bitDepth`. */
  decode(file: Uint8Array, argument?: boolean | number): Raster | null;
}

/** What the encoders built by @jsquash offer; `options` must name every field of their C structure. */
export interface EmscriptenEncoder<Options> {
  encode(
    pixels: Uint8Array | Uint8ClampedArray,
    width: number,
    height: number,
    options: Options,
  ): Uint8Array<ArrayBuffer> | null;
}

type Factory<Api> = (options: {
  noInitialRun: true;
  print(text: string): void;
  printErr(text: string): void;
  instantiateWasm(imports: WebAssembly.Imports, receive: (linked: Linked) => void): unknown;
}) => Promise<Api>;

interface Linked {
  exports: WebAssembly.Exports;
}

/**
 * Links an Emscripten build, glue code and rebuilt module, against the arena.
 * @param glue the package's factory; its published type has no word of
 *   `instantiateWasm`, which is how a Worker hands it a compiled module
 */
export function emscripten<Api>(glue: unknown, module: WebAssembly.Module): Opener<Api> {
  const factory = glue as Factory<Api>;
  return (arena) =>
    factory({
      noInitialRun: true,
      print: ignore,
      printErr: ignore,
      instantiateWasm(imports, receive) {
        const linked = new WebAssembly.Instance(module, {
          ...imports,
          arena: { memory: arena.memory },
        });
        const exports: WebAssembly.Exports = { ...linked.exports };
        for (const [name, value] of Object.entries(exports)) {
          if (value === arena.memory) exports[name] = guarded(arena);
        }
        receive({ exports });
        return exports;
      },
    });
}

/** The memory as the glue code sees it: growing goes through the arena's limit. */
function guarded(arena: Arena): WebAssembly.Memory {
  const memory: Pick<WebAssembly.Memory, 'buffer' | 'grow'> = {
    get buffer() {
      return arena.memory.buffer;
    },
    grow: (pages) => arena.grow(Math.ceil(pages)),
  };
  return memory as WebAssembly.Memory;
}

/** A codec tells of damage by its result; what it prints would only fill the log. */
function ignore(): void {}
