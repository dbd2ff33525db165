import type { Arena } from './arena.ts';
import { CodecError, type Opener } from './codec.ts';

/** The interface of decoders built by @jsquash; for the pixels, see `handedOver`. */
export interface EmscriptenDecoder {
  /** The second argument: `bitDepth` of AVIF. */
  decode(file: Uint8Array, argument?: boolean | number): object | null;
}

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

/** The output of a decoder: straight RGBA, rows from top to bottom. */
export interface DecodedPixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

/** Receives the pixels of the running decoder. */
let receive: ((raster: DecodedPixels) => void) | undefined;

const NativeBytes = globalThis.Uint8ClampedArray;

/** Replaces `Uint8ClampedArray`, with which decoders copy their pixels out, by a view of them. */
class PixelsInArena {
  constructor({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>) {
    // biome-ignore lint/correctness/noConstructorReturn: it replaces the constructor of another class
    return new NativeBytes(buffer, byteOffset, byteLength);
  }
}

/** Replaces `ImageData`, which Workers do not have, and which decoders create before they free the pixels. */
class Handover {
  constructor(data: Uint8ClampedArray<ArrayBuffer>, width: number, height: number) {
    receive?.({ data, width, height });
  }
}

/**
 * Returns the output of a decoder built by @jsquash without copying it: the pixels are valid until something else runs
 * in the arena. The builds end with `new ImageData(new Uint8ClampedArray(view), …)` and look up these constructors by
 * name, so while the decoder runs, the names refer to classes of this module. The decoder is left there by an exception,
 * because it would free the pixels next; so its instance fails and is not used again.
 *
 * @param run runs the decoder in a codec, and nothing else
 * @throws CodecError if the decoder fails before, or an Error if there was no output
 */
export function handedOver(run: () => unknown): DecodedPixels {
  const names = globalThis as { Uint8ClampedArray: unknown; ImageData?: unknown };
  const { Uint8ClampedArray: bytes, ImageData: image } = names;
  const restore = () => Object.assign(names, { Uint8ClampedArray: bytes, ImageData: image });
  let pixels: DecodedPixels | undefined;
  receive = (raster) => {
    pixels = raster;
    throw new Error('the pixels are there');
  };
  Object.assign(names, { Uint8ClampedArray: PixelsInArena, ImageData: Handover });
  try {
    run();
  } catch (error) {
    // After a refused allocation, they may be garbage.
    if (!pixels || (error instanceof CodecError && error.exhausted)) throw error;
  } finally {
    restore();
    receive = undefined;
  }
  if (!pixels) throw new Error('the decoder handed nothing over');
  return pixels;
}
