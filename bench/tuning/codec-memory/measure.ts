import { arenaBirthBytes } from '../../../src/image/wasm/arena.ts';
import type { Step } from '../../../test/support/codec-steps.ts';
import { runTrial } from '../../../test/support/codec-trial.ts';

export interface Measurement {
  /** The smallest arena with which the step gives its result, found to within `precision`. */
  readonly arenaBytes: number;
  readonly predicted: number;
  /** Length of the result. */
  readonly bytes: number;
  readonly milliseconds: number;
}

/** What no step may pass: above it a failure is taken for a true one. */
export const limit = 400 * 2 ** 20;
const page = 2 ** 16;
const precision = 4 * page;

/**
 * Finds the smallest arena for a step. With plenty of it, the last byte that a
 * run leaves behind tells how far the heap reached; a second run with no more
 * than that proves it. Where it fails (the heap ended in zeroes), the search
 * goes on upward in growing strides, then between the last two.
 *
 * A codec short of memory may also answer with another file than it should, so
 * only the same bytes count as success.
 *
 * @returns undefined when the step fails with all the memory there is
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
  // every arena is born with as much, so nothing below it can be told apart
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
