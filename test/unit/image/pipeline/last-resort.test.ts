import sharp from 'sharp';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { gifRecoder } from '../../../../src/image/formats/gif/recode.ts';
import { defaultOptions, type OptimizeOptions } from '../../../../src/image/pipeline/options.ts';
import { plan } from '../../../../src/image/pipeline/plan.ts';
import { maxPixels } from '../../../../src/image/pipeline/predicted-memory.ts';
import { CodecError } from '../../../../src/image/wasm/codec.ts';
import { answerTo, optimize } from '../../../support/engine.ts';
import { extension, madeGif, subBlocks } from '../../../support/gif-maker/gif-maker.ts';
import { packedCodes } from '../../../support/gif-maker/lzw.ts';
import { deepAvif, sourceOf } from '../../../support/inspections.ts';

afterEach(() => vi.restoreAllMocks());

const comment = extension(0xfe, 'a comment');

/** A GIF of a single color, with a comment. */
function plainGif(width: number, height: number): Uint8Array<ArrayBuffer> {
  // Each code stands for a string that is longer by one; as many as a table holds are 8.4 megapixels.
  const strings = [4, 0, ...Array.from({ length: 4090 }, (_, i) => 6 + i)];
  const data = subBlocks(packedCodes([...strings, ...strings, 5], 2));
  const frames = [{ width, height, indices: [], minCodeSize: 2, data }];
  const globalTable = [9, 90, 200, ...new Array(9).fill(0)];
  return Uint8Array.from(madeGif({ width, height, globalTable, frames, blocks: [comment] }));
}

describe('a picture that is too large to be made anew', () => {
  const large = plainGif(4480, 3500);

  it.each([{}, { quality: 'lossless' }, { quality: 50 }] as const)(
    'is kept as it is, without its metadata: %o',
    (options) => {
      const { bytes, quality, engine } = optimize(large, options);
      expect([quality, engine]).toEqual(['original', 'original']);
      expect(bytes.length).toBe(large.length - comment.length);
    },
  );

  it('is decoded first where that is possible, so damage is found', () => {
    const damaged = large.slice();
    damaged.fill(0xff, damaged.length - 6000, damaged.length - 5900);
    expect(answerTo(damaged)).toMatchObject({ code: 'invalid_image' });
  });

  it('is reduced row by row where its format is written as an animation', {
    tags: 'slow',
  }, async () => {
    const { bytes, width, height } = optimize(large, { width: 64 });
    expect([width, height]).toEqual([64, 50]);
    const { data, info } = await sharp(bytes)
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width: 64, height: 50 });
    expect(new Set(data)).toEqual(new Set([9, 90, 200]));
  });
});

describe('the plan for an AVIF that the decoder has no memory for', () => {
  const planned = (
    size: { width: number; height: number },
    options: Partial<OptimizeOptions> = {},
  ) => {
    const source = sourceOf({ ...deepAvif(size), chroma: '444' });
    const made = plan(source, { ...defaultOptions, ...options });
    return made.kind === 'planned' ? made.candidates : made;
  };

  it('is the original, unverified, but only within the largest size of all', () => {
    expect(planned({ width: 640, height: 480 })).toMatchObject([
      { kind: 'passthrough', verify: true },
    ]);
    const original = [{ kind: 'passthrough', verify: false }];
    expect(planned({ width: 2560, height: 1440 })).toMatchObject(original);
    expect(planned({ width: 12_000, height: maxPixels / 12_000 })).toMatchObject(original);
    expect(planned({ width: 12_000, height: maxPixels / 12_000 + 1 })).toMatchObject({
      reason: 'too-large',
    });
    expect(planned({ width: 2560, height: 1440 }, { format: 'webp' })).toMatchObject({
      reason: 'too-large',
    });
  });
});

describe('a picture that takes more memory than its header implies', () => {
  it('is kept as it is', () => {
    const file = plainGif(40, 30);
    vi.spyOn(gifRecoder, 'recode').mockImplementation(() => {
      throw new CodecError('gif kernel', true, 'no room');
    });
    const { bytes, quality } = optimize(file, {});
    expect(quality).toBe('original');
    expect(bytes.length).toBe(file.length - comment.length);
  });
});
