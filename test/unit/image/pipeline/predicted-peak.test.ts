import { describe, expect, it } from 'vitest';
import type { PlannedCandidate } from '../../../../src/image/pipeline/candidates.ts';
import { predictedPeak } from '../../../../src/image/pipeline/predicted-memory.ts';
import { arenaBirthBytes } from '../../../../src/image/wasm/arena.ts';
import {
  arenaCeiling,
  memoryBudget,
  servingBytes,
} from '../../../../src/image/wasm/memory-ledger.ts';

const mebibyte = 2 ** 20;

function candidate(arena: number, buffers: number): PlannedCandidate {
  return {
    kind: 'passthrough',
    type: 'jpeg',
    verify: false,
    advantage: 1,
    peak: { arena: arena * mebibyte, buffers: buffers * mebibyte },
    cpuMs: 1,
  };
}

describe('the predicted peak of a request', () => {
  it('is the file, the arena, buffers, and what serving takes', () => {
    const peak = predictedPeak([candidate(30, 5)], 3 * mebibyte);
    expect(peak).toBe(38 * mebibyte + servingBytes);
  });

  it('counts the arena in the size that it is born with at least', () => {
    expect(predictedPeak([candidate(1, 0)], 10)).toBe(arenaBirthBytes + servingBytes + 10);
  });

  it('has the best result so far beside a later candidate, as long as the file', () => {
    const [first, second] = [candidate(40, 0), candidate(38, 0)];
    expect(predictedPeak([first, second], mebibyte)).toBe(41 * mebibyte + servingBytes);
    expect(predictedPeak([first, second], 3 * mebibyte)).toBe(44 * mebibyte + servingBytes);
  });

  it('never passes the budget, as what does not fit is left out', () => {
    const alone = candidate(arenaCeiling / mebibyte, 12);
    const fileBytes = 20 * mebibyte;
    expect(predictedPeak([alone], fileBytes)).toBe(memoryBudget);
    expect(predictedPeak([alone, alone], fileBytes)).toBe(memoryBudget);
  });
});
