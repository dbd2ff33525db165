import { arenaBirthBytes } from '../codecs/arena.ts';
import { memoryBudget, servingBytes } from '../memory.ts';
import type { Candidate } from '../plan.ts';

/**
 * The bytes that a request is counted for at its worst moment, in a new isolate that does nothing else:
 * the file, the arena, buffers, and what serving takes. A candidate that comes after others has their best
 * result beside it, which is no longer than the file as a rule; where that does not fit, it is left out, so
 * nothing is ever beyond the budget. A sound file may still take more of the arena than its header tells.
 *
 * @param fileBytes that the file takes up
 */
export function predictedPeak(candidates: readonly Candidate[], fileBytes: number): number {
  const sums = candidates.map(({ peak: { arena, buffers } }, i) => {
    const best = i === 0 ? 0 : fileBytes;
    return servingBytes + fileBytes + Math.max(arena, arenaBirthBytes) + buffers + best;
  });
  return Math.min(memoryBudget, Math.max(...sums));
}
