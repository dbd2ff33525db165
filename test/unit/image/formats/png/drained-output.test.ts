import { describe, expect, it, vi } from 'vitest';
import { joinBytes } from '../../../../../src/image/container/assemble.ts';
import { DrainedOutput } from '../../../../../src/image/container/drained-output.ts';
import { CandidateStreams } from '../../../../../src/image/formats/png/candidates.ts';
import { type PngFrame, pngParts } from '../../../../../src/image/formats/png/coded-png.ts';
import { type PngKernel, runPngKernel } from '../../../../../src/image/formats/png/kernel.ts';
import { DrainedStreams } from '../../../../../src/image/formats/png/streams.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';

const windowBytes = 65_536;
const mebibyte = 2 ** 20;

const frame: PngFrame = {
  ...{ width: 4, height: 4, palette: null, ownKey: null },
  layout: { kind: 'samples', colorType: 0, bitDepth: 8, key: null },
};

/** Bytes that depend on their position. */
function stream(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (at * 31) ^ (at >> 8));
}

/** Hands over a stream like the kernel does. */
function handOver(output: DrainedOutput, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += windowBytes) {
    const window = bytes.slice(at, at + windowBytes);
    output.take(window);
    // The kernel overwrites it.
    window.fill(0xa5);
  }
}

function kept(output: DrainedOutput, length: number, maxBytes = length): void {
  output.begin(maxBytes);
  handOver(output, stream(length));
  output.keep();
}

describe('output that is drained', () => {
  it('is what was handed over, in pieces', { tags: 'slow' }, () => {
    for (const length of [1, windowBytes, 262_144, 262_145, 5 * mebibyte + 7]) {
      for (const maxBytes of [length, length + 1, 3 * length + mebibyte]) {
        const output = new DrainedOutput(64 * mebibyte);
        kept(output, length, maxBytes);
        expect(Buffer.compare(Buffer.concat(output.best), stream(length))).toBe(0);
        expect(Math.max(...output.best.map((part) => part.length))).toBeLessThanOrEqual(mebibyte);
        expect(output.best.length).toBeLessThanOrEqual(3 + length / mebibyte);
      }
    }
  });

  it('takes as many bytes as its stream may have at most, and a piece more than it has', {
    tags: 'slow',
  }, () => {
    for (const [length, maxBytes] of [
      [100, 100],
      [300_000, 300_001],
      [5 * mebibyte, 9 * mebibyte],
    ] as const) {
      const output = new DrainedOutput(64 * mebibyte);
      kept(output, length, maxBytes);
      const taken = held(output.best);
      expect(taken).toBeLessThanOrEqual(Math.min(maxBytes, length + mebibyte));
      expect(output.room).toBe(64 * mebibyte - taken);
    }
  });

  it('frees at once what a better stream replaces, and what comes to nothing', {
    tags: 'slow',
  }, () => {
    const output = new DrainedOutput(64 * mebibyte);
    kept(output, 3 * mebibyte);
    const former = output.best;
    output.begin(2 * mebibyte);
    handOver(output, stream(2 * mebibyte));
    expect(freed(former)).toBe(false);
    output.keep();
    expect(freed(former)).toBe(true);
    expect(held(output.best)).toBe(2 * mebibyte);

    const transfer = vi.spyOn(ArrayBuffer.prototype, 'transfer');
    output.begin(mebibyte);
    handOver(output, stream(mebibyte));
    output.drop();
    const [dropped, best] = [transfer.mock.contexts, output.best];
    transfer.mockRestore();
    expect(dropped.length).toBe(3);
    expect(dropped.every((buffer) => (buffer as ArrayBuffer).detached)).toBe(true);
    expect(freed(best)).toBe(false);
    expect(output.room).toBe(62 * mebibyte);
  });

  it('is no more than its stream may have', () => {
    const output = new DrainedOutput(mebibyte);
    output.begin(1000);
    expect(() => output.take(new Uint8Array(1001))).toThrow(RangeError);
  });

  it('is gone when all is cleared', () => {
    const output = new DrainedOutput(8 * mebibyte);
    kept(output, 3 * mebibyte);
    const { best } = output;
    output.begin(mebibyte);
    handOver(output, stream(mebibyte));
    output.clear();
    expect(freed(best)).toBe(true);
    expect(output.best).toEqual([]);
    expect(output.room).toBe(8 * mebibyte);
  });

  it('may have as many bytes as the kernel can count at most', () => {
    expect(new DrainedOutput(Number.MAX_SAFE_INTEGER).room).toBe(2 ** 31 - 1);
  });

  it('is a file whatever its parts are', () => {
    const whole = stream(700_000);
    const parts = [whole.subarray(0, 1), whole.subarray(1, 300_000), whole.subarray(300_000)];
    const preamble = new Uint8Array();
    expect(joinBytes(pngParts(frame, preamble, parts))).toEqual(
      joinBytes(pngParts(frame, preamble, [whole])),
    );
  });
});

describe('candidates whose streams are drained', () => {
  const limits = { preamble: new Uint8Array(), maxBytes: 9 * mebibyte, omitsWithoutRoom: false };

  /** Offers a candidate of `length` bytes; returns the size limit it was given, or null if it was not tried. */
  function offer(candidates: CandidateStreams, output: DrainedOutput, length: number) {
    let allowed: number | null = null;
    const write = function* (maxBytes: number) {
      allowed = maxBytes;
      if (length > maxBytes) return 0;
      handOver(output, stream(length));
      return length;
    };
    runAtOnce(candidates.offer(frame, true, write));
    return allowed;
  }

  function run(
    maxBytes: number,
    work: (candidates: CandidateStreams, output: DrainedOutput, kernel: PngKernel) => void,
    omitsWithoutRoom = false,
  ): void {
    const output = new DrainedOutput(maxBytes);
    const takeAll = function* (kernel: PngKernel) {
      const store = new DrainedStreams(kernel, output);
      work(new CandidateStreams({ ...limits, omitsWithoutRoom, store }, 0.9), output, kernel);
    };
    runAtOnce(runPngKernel(null, takeAll, { output }));
  }

  it('have what the best one leaves of the room', () => {
    run(3 * mebibyte, (candidates, output) => {
      expect(offer(candidates, output, 2 * mebibyte)).toBe(3 * mebibyte);
      const left = 3 * mebibyte - held(output.best);
      expect(offer(candidates, output, left + 1)).toBe(left);
      expect(Buffer.concat(candidates.best?.stream ?? []).length).toBe(2 * mebibyte);
      expect(offer(candidates, output, left)).toBe(left);
      expect(Buffer.compare(Buffer.concat(candidates.best?.stream ?? []), stream(left))).toBe(0);
    });
  });

  it('are an error where none has room, unless there is no more to be had', () => {
    const none = (candidates: CandidateStreams, output: DrainedOutput) => {
      expect(offer(candidates, output, mebibyte + 1)).toBe(mebibyte);
      return candidates.best;
    };
    const noRoom = expect.objectContaining({ cause: 'no room', exhausted: true });
    expect(() => run(mebibyte, none)).toThrow(noRoom);
    run(mebibyte, (candidates, output) => expect(none(candidates, output)).toBeNull(), true);
  });

  it('are not tried where the kernel has no room to write them', () => {
    run(3 * mebibyte, (candidates, output, kernel) => {
      const start = kernel.taken();
      kernel.allocate(kernel.room() - mebibyte);
      expect(offer(candidates, output, 100)).toBeNull();
      expect(() => candidates.best).toThrow(expect.objectContaining({ cause: 'no room' }));
      candidates.release(start);
      expect(kernel.taken()).toBe(start);
      expect(offer(candidates, output, 100)).toBe(3 * mebibyte);
    });
  });

  it('leave the kernel’s memory as it was', () => {
    run(3 * mebibyte, (candidates, output, kernel) => {
      const start = kernel.taken();
      for (const length of [900, 800, 0]) {
        const write = function* () {
          kernel.allocate(5000);
          handOver(output, stream(length));
          return length;
        };
        runAtOnce(candidates.offer(frame, true, write));
        expect(kernel.taken()).toBe(start);
      }
    });
  });
});

/** Bytes of the buffers underlying these views. */
function held(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
}

function freed(parts: readonly Uint8Array<ArrayBuffer>[]): boolean {
  return parts.every(({ buffer }) => buffer.detached);
}
