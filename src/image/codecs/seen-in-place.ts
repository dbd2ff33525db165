import type { Raster } from '../raster.ts';

/** Who is to see the pixels that the running decoder hands over. */
let receive: ((raster: Raster) => void) | undefined;

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
export function seenInPlace<Result>(run: () => unknown, look: (raster: Raster) => Result): Result {
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
