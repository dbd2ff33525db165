import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { avifPatienceMs } from '../../../../src/image/formats/avif/codec/cpu.ts';
import type { Source } from '../../../../src/image/formats/inspection.ts';
import { formatOf, outputFormat } from '../../../../src/image/formats/registry.ts';
import { sizeAdvice } from '../../../../src/image/pipeline/explain.ts';
import { defaultOptions, type OptimizeOptions } from '../../../../src/image/pipeline/options.ts';
import { plan } from '../../../../src/image/pipeline/plan.ts';
import { expectedCost, predictedCpu } from '../../../../src/image/pipeline/predicted-cpu.ts';
import { maxCpuMs } from '../../../../src/image/wasm/budgets.ts';
import { jpeg, pictureKinds, png, sourceOf } from '../../../support/inspections.ts';

type Size = { readonly width: number; readonly height: number };

function cpuMs(source: Source, options: Partial<OptimizeOptions> = {}): number {
  const planned = plan(source, { ...defaultOptions, ...options });
  if (planned.kind === 'refused') throw new Error(planned.reason);
  return predictedCpu(planned.candidates);
}

function speedOf(source: Source, options: Partial<OptimizeOptions> = {}): number {
  const planned = plan(source, { ...defaultOptions, ...options });
  if (planned.kind === 'refused') throw new Error(planned.reason);
  const [first] = planned.candidates;
  return first && first.kind !== 'passthrough' ? (first.speed ?? 0) : 0;
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
    expect(auto).toBeLessThan(Number(own) + Number(webp) + Number(avif) - 5);
    expect(auto).toBeGreaterThan(Number(webp) + Number(avif) - 40);
  });

  it.each(Object.entries(pictureKinds))('rises with the pixels of a %s', (_, make) => {
    for (const format of ['keep', 'jpeg', 'png', 'webp', 'avif'] as const) {
      // a search tries less of a picture from some size on
      const quality = 75;
      let [last, lastSpeed] = [0, 0];
      for (let side = 20; side <= 1300; side = Math.ceil(side * 1.1)) {
        const source = sourceOf(make({ width: side, height: side }), side * side * 0.2);
        const options = { format, quality };
        const [time, speed] = [cpuMs(source, options), speedOf(source, options)];
        // what is coded faster takes less
        if (speed === lastSpeed) expect(time).toBeGreaterThanOrEqual(last);
        expect(speed).toBeGreaterThanOrEqual(lastSpeed);
        [last, lastSpeed] = [time, speed];
      }
    }
  });
});

describe('a plan that would take too much computing time', () => {
  afterEach(() => vi.restoreAllMocks());

  const square = (side: number) => sourceOf(png({ width: side, height: side }), 1e7);

  it('takes a greedy parse for a PNG of 120 megapixels that would be too slow otherwise, and for no smaller one', () => {
    recodingTakes('png', 4);
    const speeds = (source: Source) => {
      const planned = plan(source, defaultOptions);
      if (planned.kind === 'refused') throw new Error(planned.reason);
      return planned.candidates.map((one) => (one.kind === 'recode' ? one.speed : null));
    };
    expect(speeds(square(10_900))).toEqual([1]);
    expect(speeds(square(3_000))).toEqual([undefined]);
    expect(cpuMs(square(10_900))).toBeLessThanOrEqual(maxCpuMs);
  });

  it('takes the slowest speed of AVIF that a picture is worth, beyond that what the platform allows for', () => {
    const source = sourceOf(jpeg({ width: 2000, height: 1500 }), 1e6);
    const speedWhere = (ms: number) => {
      const { write } = outputFormat('avif');
      const { encoders } = write;
      vi.spyOn(write, 'encoders').mockImplementation((shape, coding) =>
        encoders(shape, coding).map((encoder) => ({
          ...encoder,
          cpuMs: () => ms * ([1, 0.7, 0.45, 0.2][coding.speed ?? 0] ?? 1),
        })),
      );
      const speed = speedOf(source, { format: 'avif' });
      vi.restoreAllMocks();
      return speed;
    };
    const worth = avifPatienceMs;
    const tries = [0.8 * worth, 1.2 * worth, 2 * worth, 3 * worth, 3 * maxCpuMs];
    expect(tries.map(speedWhere)).toEqual([0, 1, 2, 3, 3]);
    expect(() => speedWhere(9 * maxCpuMs)).toThrow('too-large');
  });

  it('is refused with the pixels that would fit, and with advice that holds', () => {
    encodingTakes('webp', 40);
    const options = { ...defaultOptions, format: 'webp' } as const;
    const refused = plan(square(9_000), options);
    if (refused.kind !== 'refused' || refused.reason !== 'too-large') throw new Error(refused.kind);
    const side = Math.floor(Math.sqrt(refused.limitPixels));
    expect(plan(square(side - 2), options).kind).toBe('planned');
    expect(plan(square(side + 100), options).kind).toBe('refused');
    expect(sizeAdvice(square(9_000), options, refused.limitPixels)).toMatch(
      /^This image has 81\.0 megapixels; with these options up to [\d.]+ fit: keep its format, or request a smaller width\.$/,
    );
    expect(plan(square(9_000), defaultOptions).kind).toBe('planned');
    expect(plan(square(9_000), { ...options, width: 800 }).kind).toBe('planned');
  });

  it('does without the formats of auto that would pass the limit', () => {
    const source = sourceOf(jpeg({ width: 2000, height: 1500 }), 1e6);
    const auto = { ...defaultOptions, format: 'auto' } as const;
    encodingTakes('webp', 1e4);
    const planned = plan(source, auto);
    if (planned.kind === 'refused') throw new Error(planned.reason);
    expect(planned.candidates.map(({ type }) => type)).toEqual(['jpeg', 'avif']);
    expect(predictedCpu(planned.candidates)).toBeLessThanOrEqual(maxCpuMs);
  });

  it('is never made, whatever is sent and asked for', { tags: 'slow' }, () => {
    recodingTakes('png', 4);
    encodingTakes('avif', 20);
    encodingTakes('webp', 50);
    for (const make of [
      ...Object.values(pictureKinds),
      (size: Size) => png({ ...size, bitDepth: 16 }),
    ]) {
      for (const megapixels of [0.01, 1, 5, 24, 119]) {
        for (const density of [0.02, 0.25, 2]) {
          const side = Math.round(Math.sqrt(1e6 * megapixels));
          const source = sourceOf(make({ width: side, height: side }), side * side * density);
          for (const format of ['keep', 'auto', 'jpeg', 'png', 'webp', 'avif'] as const) {
            for (const quality of ['auto', 'lossless'] as const) {
              for (const width of [null, 800]) {
                const planned = plan(source, { ...defaultOptions, format, quality, width });
                if (planned.kind === 'refused') continue;
                expect(predictedCpu(planned.candidates)).toBeLessThanOrEqual(maxCpuMs + 1);
                for (const one of planned.candidates) expect(one.cpuMs).toBeGreaterThan(0);
              }
            }
          }
        }
      }
    }
  });
});

/** As if coding its own files took a format so many times as long. */
function recodingTakes(type: 'png', times: number): void {
  const { recoder } = formatOf(png()).read;
  if (!recoder) throw new Error(`${type} has no recoder`);
  const { cpuMs: usual } = recoder;
  vi.spyOn(recoder, 'cpuMs').mockImplementation((...given) => times * usual(...given));
}

/** As if a format's encoders took so many times as long. */
function encodingTakes(type: 'webp' | 'avif', times: number): void {
  const { write } = outputFormat(type);
  const { encoders } = write;
  vi.spyOn(write, 'encoders').mockImplementation((...given) =>
    encoders(...given).map((encoder) => ({
      ...encoder,
      cpuMs: (detail) => times * encoder.cpuMs(detail),
    })),
  );
}

describe('looking for a quality', () => {
  it.each(['jpeg', 'webp', 'avif'] as const)(
    'takes half of what coding %s does, or 250 ms',
    (format) => {
      for (const side of [1000, 2000, 4000]) {
        const source = sourceOf(jpeg({ width: side, height: side }), side * side * 0.2);
        const planned = plan(source, { ...defaultOptions, format });
        if (planned.kind !== 'planned') throw new Error(planned.kind);
        const [{ cpuMs: coding, search } = { cpuMs: 0 }] = planned.candidates;
        const searchMs = search?.cpuMs ?? 0;
        expect(searchMs).toBeGreaterThan(0);
        // an AVIF of few pixels is tried in full, or in a few tiles at least
        expect(searchMs).toBeLessThan((format === 'avif' ? 1.5 : 1) * Math.max(260, coding / 2));
      }
    },
  );

  it('is no part of what was asked for by quality', () => {
    const planned = plan(sourceOf(jpeg(), 100_000), { ...defaultOptions, quality: 75 });
    if (planned.kind !== 'planned') throw new Error(planned.kind);
    expect(planned.candidates.map(({ search }) => search)).toEqual([undefined]);
  });
});

describe('what is expected of a request before its body has been read', () => {
  const expected = (bytes: number | null, options: Partial<OptimizeOptions> = {}) =>
    expectedCost(bytes, { ...defaultOptions, ...options }).cpuMs;

  it('is a few milliseconds for next to nothing', () => {
    for (const format of ['keep', 'jpeg', 'webp'] as const) {
      expect(expected(500, { format })).toBeGreaterThan(1);
      expect(expected(500, { format })).toBeLessThan(30);
    }
  });

  it('is what a photo of that length takes, by what is asked of it', () => {
    expect(expected(1_800_000)).toBeGreaterThan(50);
    expect(expected(1_800_000)).toBeLessThan(500);
    expect(expected(400_000, { format: 'webp' })).toBeGreaterThan(expected(400_000));
    expect(expected(400_000, { format: 'avif' })).toBeGreaterThan(
      2 * expected(400_000, { format: 'webp' }),
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
    expect(expected(32 * 2 ** 20, { format: 'webp' })).toBeLessThan(maxCpuMs / 5);
    expect(expected(32 * 2 ** 20, { format: 'webp', width: 800 })).toBeLessThan(2_000);
    expect(expected(1e12)).toBeLessThanOrEqual(maxCpuMs);
  });
});
