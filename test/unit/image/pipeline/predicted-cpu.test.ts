import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Source } from '../../../../src/image/formats/format.ts';
import { defaultOptions, type OptimizeOptions } from '../../../../src/image/pipeline/options.ts';
import { plan } from '../../../../src/image/pipeline/plan.ts';
import {
  expectedCpu,
  maxCpuMs,
  predictedCpu,
} from '../../../../src/image/pipeline/predicted-cpu.ts';
import { jpeg, pictureKinds, sourceOf } from '../../../support/inspections.ts';

function cpuMs(source: Source, options: Partial<OptimizeOptions> = {}): number {
  const planned = plan(source, { ...defaultOptions, ...options });
  if (planned.kind === 'refused') throw new Error(planned.reason);
  return predictedCpu(planned.candidates);
}

describe('the predicted computing time of a request', () => {
  it('may be a third of what the platform lets a request take', () => {
    const toml = readFileSync(join(import.meta.dirname, '../../../../wrangler.toml'), 'utf8');
    const [, limit] = /^cpu_ms = (\d+)$/m.exec(toml) ?? [];
    expect(3 * maxCpuMs).toBe(Number(limit));
  });

  it('counts pixels once that several candidates are made of', () => {
    const source = sourceOf(jpeg({ width: 1200, height: 900 }), 400_000);
    const [auto, own, webp, avif] = (['auto', 'keep', 'webp', 'avif'] as const).map((format) =>
      cpuMs(source, { format }),
    );
    expect(auto).toBeLessThan(Number(own) + Number(webp) + Number(avif) - 10);
    expect(auto).toBeGreaterThan(Number(webp) + Number(avif) - 40);
  });

  it.each(Object.entries(pictureKinds))('rises with the pixels of a %s', (_, make) => {
    for (const format of ['keep', 'jpeg', 'png', 'webp', 'avif'] as const) {
      let last = 0;
      for (let side = 20; side <= 1400; side = Math.ceil(side * 1.1)) {
        const time = cpuMs(sourceOf(make({ width: side, height: side }), side * side * 0.2), {
          format,
        });
        expect(time).toBeGreaterThanOrEqual(last);
        last = time;
      }
    }
  });
});

describe('what is expected of a request before its body has been read', () => {
  const expected = (bytes: number | null, options: Partial<OptimizeOptions> = {}) =>
    expectedCpu(bytes, { ...defaultOptions, ...options });

  it('is about two milliseconds for next to nothing', () => {
    for (const format of ['keep', 'jpeg', 'webp'] as const) {
      expect(expected(500, { format })).toBeGreaterThan(1);
      expect(expected(500, { format })).toBeLessThan(4);
    }
  });

  it('is what a photo of that length takes, by what is asked of it', () => {
    expect(expected(1_800_000)).toBeGreaterThan(50);
    expect(expected(1_800_000)).toBeLessThan(300);
    expect(expected(400_000, { format: 'webp' })).toBeGreaterThan(2 * expected(400_000));
    expect(expected(400_000, { format: 'avif' })).toBeGreaterThan(
      3 * expected(400_000, { format: 'webp' }),
    );
    expect(expected(8_000_000, { format: 'avif', width: 800 })).toBeLessThan(
      expected(8_000_000, { format: 'avif' }),
    );
  });

  it('is that of a phone’s photo where the length is not known', () => {
    expect(expected(null)).toBe(expected(1_800_000));
  });

  it('never passes what a request may take, nor what the largest photo takes that fits', () => {
    expect(expected(32 * 2 ** 20, { format: 'auto' })).toBeLessThan(maxCpuMs / 2);
    expect(expected(32 * 2 ** 20, { format: 'webp' })).toBeLessThan(2_000);
    expect(expected(1e12)).toBeLessThanOrEqual(maxCpuMs);
  });
});
