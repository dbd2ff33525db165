import { describe, expect, it } from 'vitest';
import type { PlannedCandidate } from '../../../../src/image/pipeline/candidates.ts';
import { predictedPeak } from '../../../../src/image/pipeline/predicted-memory.ts';
import { arenaBirthBytes, sideBirthBytes } from '../../../../src/image/wasm/arena.ts';
import {
  arenaCeiling,
  memoryBudget,
  servingBytes,
  sideCeiling,
} from '../../../../src/image/wasm/budgets.ts';

const mebibyte = 2 ** 20;

function candidate(arena: number, buffers: number, side = 0): PlannedCandidate {
  return {
    kind: 'passthrough',
    type: 'jpeg',
    verify: false,
    advantage: 1,
    peak: { arena: arena * mebibyte, side: side * mebibyte, buffers: buffers * mebibyte },
    cpuMs: 1,
  };
}

describe('the predicted peak of a request', () => {
  it('is the file, both arenas, buffers, and what serving takes', () => {
    const peak = predictedPeak([candidate(30, 5, 2)], 3 * mebibyte);
    expect(peak).toBe(40 * mebibyte + servingBytes);
  });

  it('counts the arenas in the size that they are born with at least', () => {
    const born = arenaBirthBytes + sideBirthBytes;
    expect(predictedPeak([candidate(1, 0)], 10)).toBe(born + servingBytes + 10);
  });

  it('has the best result so far beside a later candidate, as long as the file', () => {
    const [first, second] = [candidate(40, 0, 1), candidate(38, 0, 1)];
    expect(predictedPeak([first, second], mebibyte)).toBe(42 * mebibyte + servingBytes);
    expect(predictedPeak([first, second], 3 * mebibyte)).toBe(45 * mebibyte + servingBytes);
  });

  it('never passes the budget, as what does not fit is left out', () => {
    const alone = candidate(arenaCeiling / mebibyte, 12, sideCeiling / mebibyte);
    const fileBytes = 20 * mebibyte;
    expect(predictedPeak([alone], fileBytes)).toBe(memoryBudget);
    expect(predictedPeak([alone, alone], fileBytes)).toBe(memoryBudget);
  });
});
