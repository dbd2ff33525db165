import type { Arena } from './arena.ts';
import type { Opener } from './codec.ts';

/** What the decoders built by @jsquash offer; for the pixels see `seenInPlace`. */
export interface EmscriptenDecoder {
  /** The second argument: `bitDepth` of AVIF. */
  decode(file: Uint8Array, argument?: boolean | number): object | null;
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

/** Emscripten's `Module` object: options when it goes in, the codec's functions when it is linked. */
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
 * Links an Emscripten build, glue code and rebuilt module, against the arena.
 *
 * The factory answers with a promise, but with a module that is compiled
 * already it has linked everything into the object it was given by the time it
 * returns; only a failure arrives later.
 *
 * @param glue the package's factory; its published type has no word of
 *   `instantiateWasm`, which is how a Worker hands it a compiled module
 */
export function emscripten<Api>(glue: unknown, module: WebAssembly.Module): Opener<Api> {
  const factory = glue as (object: ModuleObject) => Promise<unknown>;
  return (arena) => {
    const object: ModuleObject = {
      noInitialRun: true,
      print: ignore,
      printErr: ignore,
      instantiateWasm(imports, receive) {
        const own = { arena: { memory: arena.memory } };
        const linked = new WebAssembly.Instance(module, { ...imports, ...own });
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

/** What a decoder hands over: straight RGBA, rows from the top. */
export interface DecodedPixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

/** Who is to see the pixels that the running decoder hands over. */
let receive: ((raster: DecodedPixels) => void) | undefined;

const NativeBytes = globalThis.Uint8ClampedArray;

/** In place of `Uint8ClampedArray`, with which decoders copy their pixels out: the pixels where they lie. */
class PixelsInArena {
  constructor({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>) {
    // biome-ignore lint/correctness/noConstructorReturn: it stands for the constructor of another class
    return new NativeBytes(buffer, byteOffset, byteLength);
  }
}

/** In place of `ImageData`, which Workers do not have, and with which decoders end. */
class Handover {
  constructor(data: Uint8ClampedArray<ArrayBuffer>, width: number, height: number) {
    receive?.({ data, width, height });
  }
}

/**
 * Lets `look` see what a decoder built by @jsquash has made, without a copy:
 * the builds end with `new ImageData(new Uint8ClampedArray(view), …)`, their
 * constructors looked up by name, so for as long as the decoder runs these
 * names mean classes of ours. What comes of it must be taken before `look`
 * returns, since the next run wipes the arena.
 *
 * @param run decodes; nothing else may run in it
 * @returns what `look` returned
 * @throws what `run` or `look` throws, or an Error when nothing was handed over
 */
export function seenInPlace<Result>(
  run: () => unknown,
  look: (raster: DecodedPixels) => Result,
): Result {
  const names = globalThis as { Uint8ClampedArray: unknown; ImageData?: unknown };
  const { Uint8ClampedArray: bytes, ImageData: image } = names;
  const restore = () => Object.assign(names, { Uint8ClampedArray: bytes, ImageData: image });
  let seen: { readonly result: Result } | { readonly error: unknown } | undefined;
  receive = (raster) => {
    restore();
    try {
      seen = { result: look(raster) };
    } catch (error) {
      seen = { error };
    }
  };
  Object.assign(names, { Uint8ClampedArray: PixelsInArena, ImageData: Handover });
  try {
    run();
  } finally {
    restore();
    receive = undefined;
  }
  if (!seen) throw new Error('the decoder handed nothing over');
  if ('error' in seen) throw seen.error;
  return seen.result;
}
