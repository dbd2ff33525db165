import { describe, expect, it } from 'vitest';
import { ImageError } from '../../../src/image/engine.ts';
import { generatedAnimations } from '../../support/animations/generated.ts';
import { makeGif } from '../../support/animations/gif-maker.ts';
import { timelineOf } from '../../support/animations/judges.ts';
import { timelineDifference } from '../../support/animations/timeline.ts';
import { answerTo, optimize } from '../../support/engine.ts';

const generated = await generatedAnimations(300);

describe('an animation without loss', () => {
  it.each(generated)('$name: shows what it showed, in no more bytes', async ({ type, file }) => {
    const before = await timelineOf(type, file);
    const { bytes } = optimize(Uint8Array.from(file), { quality: 'lossless' });
    expect(bytes.length).toBeLessThanOrEqual(file.length);
    expect(timelineDifference(await timelineOf(type, bytes), before)).toBeNull();
  });

  it.each(generated)(
    '$name: becomes a WebP or APNG that shows that, too',
    async ({ type, file }) => {
      const before = await timelineOf(type, file);
      for (const format of ['webp', 'png'] as const) {
        const result = answerTo(file, { quality: 'lossless', format });
        if (result instanceof ImageError) {
          // 16 bits are not brought to 8 without loss
          expect(result.code, format).toBe('invalid_options');
          continue;
        }
        const after = await timelineOf(format, result.bytes);
        const plays = format === 'webp' ? Math.min(before.plays, 65_535) : before.plays;
        // blended colors are rounded otherwise by each decoder
        const likeness = {
          rounding: format === 'webp' ? 0.5 : 0,
          tolerance: type === 'gif' ? 0 : 2,
        };
        expect(timelineDifference(after, { ...before, plays }, likeness), format).toBeNull();
      }
    },
  );
});

describe('a canvas that opaque frames leave bare', () => {
  const corner = { left: 0, top: 0, width: 4, height: 4 };
  const whole = { left: 0, top: 0, width: 8, height: 8 };
  const gif = (regions: readonly (typeof whole)[], disposal: number) =>
    makeGif({
      ...{ width: 8, height: 8, loop: 0 },
      palette: [
        [200, 10, 10],
        [20, 10, 210],
      ],
      frames: regions.map((region, i) => {
        const indices = new Uint8Array(region.width * region.height).fill(i & 1);
        return { region, indices, control: { disposal, delay: 10 } };
      }),
    });

  /** The flag of the file (RFC 9649 §2.7), which some programs go by before they look at frames. */
  const isFlagged = (regions: readonly (typeof whole)[], disposal: number) => {
    const file = Uint8Array.from(gif(regions, disposal));
    const { bytes } = optimize(file, { quality: 'lossless', format: 'webp' });
    return ((bytes[20] ?? 0) & 0x10) !== 0;
  };

  it('becomes a WebP that says so to programs which go by its header', () => {
    expect(isFlagged([corner, corner], 1)).toBe(true);
    expect(isFlagged([whole, corner], 2)).toBe(true);
  });

  it('is none where frames cover it all the time', () => {
    expect(isFlagged([whole, whole], 1)).toBe(false);
  });
});
