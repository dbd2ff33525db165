import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { compiledKernel } from '../../../../../support/kernels.ts';

/** libwebp's decoder, whose tables lie in it as they are. */
const libwebp = readFileSync(
  createRequire(import.meta.url).resolve('@jsquash/webp/codec/dec/webp_dec.wasm'),
);

const module = await compiledKernel('webp', [
  'vp8/token-probabilities.ts',
  'vp8/modes.ts',
  'vp8/segments.ts',
  'vp8/coefficients.ts',
]);
const memory = new WebAssembly.Memory({ initial: 2 });
const { exports } = new WebAssembly.Instance(module, {
  env: { memory },
  'file-window': { readFile: () => 0 },
});

describe('the tables of VP8', () => {
  it.each([
    ['defaultProbabilities', 4 * 8 * 3 * 11],
    ['updateProbabilities', 4 * 8 * 3 * 11],
    ['blockModeProbabilities', 10 * 10 * 9],
    ['dcSteps', 128],
    ['acSteps', 2 * 128],
    ['extraBits', 48],
  ])('are those of libwebp: %s', (name, bytes) => {
    const at = Number((exports[name] as WebAssembly.Global).value);
    const table = Buffer.from(memory.buffer, at, bytes);
    for (const part of name === 'extraBits' ? lists(table) : [table]) {
      expect(libwebp.includes(part)).toBe(true);
    }
  });
});

/** Lists of 12 bytes at most, each up to its first 0. */
function lists(table: Buffer): Buffer[] {
  return [0, 12, 24, 36].map((at) => table.subarray(at, table.indexOf(0, at) + 1));
}
