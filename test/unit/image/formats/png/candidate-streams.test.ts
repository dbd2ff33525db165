import { describe, expect, it } from 'vitest';
import { CandidateStreams } from '../../../../../src/image/formats/png/candidates.ts';
import { type PngFrame, surroundingBytes } from '../../../../../src/image/formats/png/coded-png.ts';
import { type PngKernel, runPngKernel } from '../../../../../src/image/formats/png/kernel.ts';
import { KernelStreams } from '../../../../../src/image/formats/png/streams.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';

const frame: PngFrame = {
  ...{ width: 4, height: 4, palette: null, ownKey: null },
  layout: { kind: 'samples', colorType: 0, bitDepth: 8, key: null },
};
const limits = { preamble: new Uint8Array(), maxBytes: 10_000, omitsWithoutRoom: false };

function candidatesOf(kernel: PngKernel): CandidateStreams {
  return new CandidateStreams({ ...limits, store: new KernelStreams(kernel) }, 0.9);
}

/** Runs the kernel without pauses. */
function run(work: (kernel: PngKernel) => void): void {
  runAtOnce(
    runPngKernel(null, function* (kernel) {
      work(kernel);
    }),
  );
}

/** Allocates `length` bytes filled with a value. */
function filled(kernel: PngKernel, length: number, value: number): number {
  const at = kernel.allocate(length);
  kernel.bytes.fill(value, at, at + length);
  return at;
}

function offer(
  kernel: PngKernel,
  candidates: CandidateStreams,
  length: number,
  value: number,
  isExact = true,
) {
  const write = function* () {
    const at = filled(kernel, length, value);
    kernel.outputAt = () => at;
    return length;
  };
  return runAtOnce(candidates.offer(frame, isExact, write));
}

/** The smallest stream so far, which is contiguous. */
function bestOf(candidates: CandidateStreams): Uint8Array {
  const [stream = new Uint8Array(), ...others] = candidates.best?.stream ?? [];
  expect(others).toEqual([]);
  return stream;
}

function valuesOf(kernel: PngKernel, at: number, length: number): Set<number> {
  return new Set(kernel.bytes.subarray(at, at + length));
}

describe('streams of which the smallest is kept', () => {
  it('leave alone what was allocated between them', () => {
    run((kernel) => {
      const candidates = candidatesOf(kernel);
      offer(kernel, candidates, 900, 1);
      const between = filled(kernel, 500, 2);
      offer(kernel, candidates, 700, 3);
      offer(kernel, candidates, 600, 4);
      const best = bestOf(candidates);
      expect(best.length).toBe(600);
      expect(new Set(best)).toEqual(new Set([4]));
      expect(valuesOf(kernel, between, 500)).toEqual(new Set([2]));
      expect(valuesOf(kernel, filled(kernel, 100, 5), 100)).toEqual(new Set([5]));
      expect(valuesOf(kernel, between, 500)).toEqual(new Set([2]));
    });
  });

  it('take no more than the smallest does', () => {
    run((kernel) => {
      const candidates = candidatesOf(kernel);
      const start = kernel.taken();
      for (const length of [912, 800, 640]) offer(kernel, candidates, length, 1);
      expect(kernel.taken()).toBe(start + 640);
    });
  });

  it('outlive what is taken back before them', () => {
    run((kernel) => {
      const candidates = candidatesOf(kernel);
      const start = kernel.taken();
      filled(kernel, 5000, 1);
      offer(kernel, candidates, 800, 2);
      candidates.release(start);
      expect(kernel.taken()).toBe(start + 800);
      filled(kernel, 5000, 3);
      candidates.release(start + 800);
      expect(kernel.taken()).toBe(start + 800);
      expect(new Set(bestOf(candidates))).toEqual(new Set([2]));
    });
  });

  it('are none when all that was tried is taken back', () => {
    run((kernel) => {
      const candidates = candidatesOf(kernel);
      const start = kernel.taken();
      filled(kernel, 5000, 1);
      candidates.release(start);
      expect(kernel.taken()).toBe(start);
      expect(candidates.best).toBeNull();
    });
  });

  it('leave it alone where a longer one of the picture’s own colours is kept', () => {
    run((kernel) => {
      const candidates = candidatesOf(kernel);
      offer(kernel, candidates, 900, 1, false);
      const between = filled(kernel, 500, 2);
      offer(kernel, candidates, 950, 3);
      const best = bestOf(candidates);
      expect(new Set(best)).toEqual(new Set([3]));
      expect(valuesOf(kernel, between, 500)).toEqual(new Set([2]));
      expect(valuesOf(kernel, filled(kernel, 100, 5), 100)).toEqual(new Set([5]));
      expect(new Set(best)).toEqual(new Set([3]));
    });
  });

  it('are of other colours only where that saves a tenth', () => {
    const allowed: number[] = [];
    run((kernel) => {
      const candidates = candidatesOf(kernel);
      const write = function* (most: number) {
        allowed.push(most);
        return 0;
      };
      const ask = (isExact: boolean) => runAtOnce(candidates.offer(frame, isExact, write));
      ask(false);
      offer(kernel, candidates, 900, 1, false);
      ask(false);
      ask(true);
      offer(kernel, candidates, 990, 1, true);
      ask(false);
      ask(true);
    });
    const around = surroundingBytes(frame, limits.preamble);
    expect(allowed).toEqual([
      9000 - around,
      899,
      Math.floor((900 + around) / 0.9) - around,
      Math.floor(0.9 * (990 + around)) - around,
      989,
    ]);
  });
});
