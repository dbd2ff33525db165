import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The common prototype of all typed arrays. */
const typedArrays = Object.getPrototypeOf(Uint8Array.prototype) as Pick<
  Uint8Array<ArrayBuffer>,
  'set' | 'slice'
>;

/** Smaller copies are ignored: they are negligible, and there are thousands of them. */
const minMeasuredBytes = 200_000;

/**
 * The maximum bytes of JavaScript buffers that were alive at any time during `work`, not counting earlier ones.
 * Measured, after garbage collection, after every large copy and before a large buffer is released.
 */
export async function mostHeld(work: () => void): Promise<number> {
  // Dead buffers are freed in the background.
  collect();
  await setTimeout(50);
  const before = alive();
  let maximum = 0;
  const measure = () => {
    maximum = Math.max(maximum, alive() - before);
  };
  const { set, slice } = typedArrays;
  typedArrays.set = function (this: Uint8Array, source, offset) {
    set.call(this, source, offset);
    if (source.length > minMeasuredBytes) measure();
  };
  typedArrays.slice = function (this: Uint8Array<ArrayBuffer>, start, end) {
    const part = slice.call(this, start, end);
    if (part.length > minMeasuredBytes) measure();
    return part;
  };
  const { transfer } = ArrayBuffer.prototype;
  ArrayBuffer.prototype.transfer = function (this: ArrayBuffer, length) {
    if (this.byteLength > minMeasuredBytes) measure();
    return transfer.call(this, length);
  };
  try {
    work();
  } finally {
    Object.assign(typedArrays, { set, slice });
    ArrayBuffer.prototype.transfer = transfer;
  }
  measure();
  return maximum;
}

/** Bytes of the buffers that are still reachable. */
function alive(): number {
  collect();
  // V8 frees dead buffers on another thread, for which the next collection waits.
  collect();
  return process.memoryUsage().arrayBuffers;
}
