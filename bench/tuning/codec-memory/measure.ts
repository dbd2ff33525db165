import { arenaBirthBytes } from '../../../src/image/wasm/arena.ts';
import type { Step } from '../../../test/support/codec-steps.ts';
import { runTrial } from '../../../test/support/codec-trial.ts';

export interface Measurement {
  /** The smallest arena with which the step gives its result, to within `precision`. */
  readonly arenaBytes: number;
  readonly predicted: number;
  /** Length of the result. */
  readonly bytes: number;
  readonly milliseconds: number;
}

/** The largest arena tried; a step that fails with it is considered to fail in general. */
export const limit = 400 * 2 ** 20;
const page = 2 ** 16;
const precision = 4 * page;

/**
 * Finds the smallest arena for a step. In a run with ample memory, the last nonzero byte shows how far the heap has
 * grown; a second run with just that much verifies it. If it fails (because the heap ended in zeros), the size is
 * increased in growing strides, then narrowed by bisection.
 *
 * A codec short of memory may also return a different file, so only identical bytes count as success.
 *
 * @returns undefined if the step fails with the maximum memory
 */
export async function measure(step: Step): Promise<Measurement | undefined> {
  const ample = await runTrial({ step, arenaBytes: limit });
  if (ample.kind === 'refused') return undefined;
  const { predicted, bytes, milliseconds, digest } = ample;
  const suffices = async (arenaBytes: number): Promise<boolean> => {
    if (arenaBytes >= limit) return true;
    const outcome = await runTrial({ step, arenaBytes });
    return outcome.kind === 'done' && outcome.digest === digest;
  };

  let enough = Math.ceil(ample.usedBytes / page) * page;
  let tooLittle = 0;
  // Every arena has this initial size, so smaller needs cannot be distinguished.
  if (enough > arenaBirthBytes) {
    for (let stride = page; !(await suffices(enough)); stride *= 2) {
      tooLittle = enough;
      enough += stride;
    }
    while (tooLittle > 0 && enough - tooLittle > precision) {
      const middle = Math.ceil((enough + tooLittle) / 2 / page) * page;
      if (await suffices(middle)) enough = middle;
      else tooLittle = middle;
    }
  }
  return { arenaBytes: enough, predicted, bytes, milliseconds };
}
