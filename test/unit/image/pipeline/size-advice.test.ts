import { describe, expect, it } from 'vitest';
import type { SourceImage } from '../../../../src/image/formats/registry.ts';
import { sizeAdvice } from '../../../../src/image/pipeline/explain.ts';
import { defaultOptions, type OptimizeOptions } from '../../../../src/image/pipeline/options.ts';
import { plan } from '../../../../src/image/pipeline/plan.ts';
import { avif, jpeg, png, sourceOf, webp } from '../../../support/inspections.ts';

const phone = { width: 4032, height: 3024 };

/** The advice for a picture for which there is no plan. */
function advice(image: SourceImage, asked: Partial<OptimizeOptions> = {}, fileBytes = 4_000_000) {
  const source = sourceOf(image, fileBytes);
  const options = { ...defaultOptions, ...asked };
  const planned = plan(source, options);
  if (planned.kind !== 'refused' || planned.reason !== 'too-large') return planned.kind;
  return sizeAdvice(source, options, planned.limitPixels);
}

describe('a picture that is too large', () => {
  it('for another format can keep its own, or be reduced', { tags: 'slow' }, () => {
    const large = jpeg({ width: 10_000, height: 7000 });
    expect(advice(large, { format: 'avif' }, 20_000_000)).toMatch(
      /^This image has 70\.0 megapixels; with these options up to [45]\d\.\d fit: keep its format, or request a smaller width\.$/,
    );
  });

  it('in its own format and size is kept as it is', () => {
    expect(advice(webp({ width: 12_000, height: 9000 }))).toBe('planned');
    expect(advice(avif({ width: 9000, height: 6000 }))).toBe('planned');
  });

  it('by its own size alone has to be a smaller one', () => {
    expect(advice(png({ width: 60_000, height: 60_000 }))).toMatch(/3600\.0 .*send a smaller one/);
  });

  it('is not told to keep a format that it keeps anyway', () => {
    expect(advice(webp(phone), { format: 'webp' })).not.toContain('format');
  });

  it('for a size that is nearly its own can keep it', () => {
    const size = { width: 6000, height: 4000 };
    const image = jpeg(size);
    expect(advice(image, { width: 5990, format: 'avif' }, 18_000_000)).toMatch(
      /: keep its format, or request/,
    );
    const large = webp({ width: 9000, height: 6000 });
    expect(advice(large, { width: 8990, format: 'jpeg' }, 9_000_000)).toBe('planned');
  });

  it('is never told a way on which it would be refused again', { tags: 'slow' }, () => {
    const all = [
      jpeg,
      (size: typeof phone) => jpeg({ ...size, process: 'progressive' }),
      png,
      webp,
    ];
    for (const make of all) {
      for (const scale of [1, 2, 3, 4]) {
        const image = make({ width: 4000 * scale, height: 3000 * scale });
        for (const format of ['keep', 'jpeg', 'png', 'webp', 'avif'] as const) {
          const words = advice(image, { format });
          if (words.includes('keep its format')) expect(advice(image)).toBe('planned');
          if (words.includes('width'))
            expect(advice(image, { format, width: 800 })).toBe('planned');
        }
      }
    }
  });

  it('just beyond the limit is seen to be beyond it', () => {
    const source = sourceOf(webp({ width: 2417, height: 2415 }));
    const words = sizeAdvice(source, defaultOptions, 5_836_000);
    expect(words).toContain('has 5.9 megapixels');
    expect(words).toContain('up to 5.8 ');
    expect(sizeAdvice(source, defaultOptions, 900)).toContain('up to less than 0.1 ');
  });
});
