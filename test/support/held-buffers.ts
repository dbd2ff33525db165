import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** What `Uint8Array`, `Uint8ClampedArray` and all others inherit from. */
const typedArrays = Object.getPrototypeOf(Uint8Array.prototype) as Pick<
  Uint8Array<ArrayBuffer>,
  'set' | 'slice'
>;

/** Copies of fewer bytes are small change, and there are thousands of them. */
const notable = 200_000;

/**
 * The most bytes of JavaScript buffers that were alive at one moment of `work`,
 * beside those before it. Looked at after every large copy, and before a large
 * one is given back, when all that can be collected has been.
 */
export async function mostHeld(work: () => void): Promise<number> {
  // what is dead already is given back in the background
  collect();
  await setTimeout(50);
  const before = alive();
  let most = 0;
  const look = () => {
    most = Math.max(most, alive() - before);
  };
  const { set, slice } = typedArrays;
  typedArrays.set = function (this: Uint8Array, source, offset) {
    set.call(this, source, offset);
    if (source.length > notable) look();
  };
  typedArrays.slice = function (this: Uint8Array<ArrayBuffer>, start, end) {
    const part = slice.call(this, start, end);
    if (part.length > notable) look();
    return part;
  };
  const { transfer } = ArrayBuffer.prototype;
  ArrayBuffer.prototype.transfer = function (this: ArrayBuffer, length) {
    if (this.byteLength > notable) look();
    return transfer.call(this, length);
  };
  try {
    work();
  } finally {
    Object.assign(typedArrays, { set, slice });
    ArrayBuffer.prototype.transfer = transfer;
  }
  look();
  return most;
}

/** Bytes of the buffers that can still be reached. */
function alive(): number {
  collect();
  // V8 frees dead buffers on another thread, which the next collection waits for
  collect();
  return process.memoryUsage().arrayBuffers;
}
