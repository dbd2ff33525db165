import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { OptimizeOptions } from '../../../src/image/engine.ts';
import { ScorePool, scoringBytes } from '../../../src/image/metric/ssimulacra2.ts';
import { decodedFile } from '../../../src/image/pipeline/target/trials.ts';
import { rowsOf } from '../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../src/image/slices.ts';
import { arena } from '../../../src/image/wasm/arena.ts';
import { optimize } from '../../support/engine.ts';
import { decodedJxl } from '../../support/jxl.ts';
import { sample } from '../../support/pictures.ts';

function result(file: Uint8Array<ArrayBuffer>, wanted: Partial<OptimizeOptions>) {
  return optimize(file.slice(), wanted);
}

/** SSIMULACRA2 of a JPEG XL, as another decoder shows it, against another file. */
async function scoreOf(file: Uint8Array<ArrayBuffer>, jxl: Uint8Array): Promise<number> {
  const before = runAtOnce(decodedFile(file));
  const { data, width, height } = await decodedJxl(jxl);
  const rgba = await sharp(data, { raw: { width, height, channels: 3 } })
    .ensureAlpha()
    .raw()
    .toBuffer();
  const after = { ...before, data: new Uint8ClampedArray(rgba) };
  arena.reserve(scoringBytes(before, false));
  const pool = new ScorePool(false);
  runAtOnce(pool.add(rowsOf(before), rowsOf(after), null, arena));
  return pool.score ?? Number.NaN;
}

describe('a JPEG XL', () => {
  it('meets a target as its decoders show it, and tells that score', async () => {
    const photo = await sample('photo.jpg');
    for (const target of [65, 77, 86]) {
      const { type, bytes, score } = result(photo, { format: 'jxl', target });
      expect(type).toBe('jxl');
      const shown = await scoreOf(photo, bytes);
      expect(Math.abs(shown - target)).toBeLessThan(2.5);
      expect(Math.abs(shown - Number(score))).toBeLessThan(2.5);
    }
  });

  it('meets a target when it is reduced', async () => {
    const photo = await sample('photo.jpg');
    const size = { width: 800 };
    const reduced = result(photo, { ...size, format: 'png', quality: 100 }).bytes;
    for (const target of [65, 86]) {
      const { bytes, score, width } = result(photo, { ...size, format: 'jxl', target });
      expect(width).toBe(800);
      const shown = await scoreOf(reduced, bytes);
      expect(Math.abs(shown - target)).toBeLessThan(2);
      expect(Math.abs(shown - Number(score))).toBeLessThan(1);
    }
  });

  it.each([{}, { width: 1200 }])(
    'tells what it scores within a limit of bytes: %o',
    async (size) => {
      const photo = await sample('photo.jpg');
      const { bytes, score } = result(photo, { ...size, format: 'jxl', maxBytes: 60_000 });
      expect(bytes.length).toBeLessThanOrEqual(60_000);
      expect(bytes.length).toBeGreaterThan(0.85 * 60_000);
      const before =
        'width' in size ? result(photo, { ...size, format: 'png', quality: 100 }).bytes : photo;
      const shown = await scoreOf(before, bytes);
      expect(Math.abs(shown - Number(score))).toBeLessThan(0.3);
    },
  );

  it.each([{}, { maxBytes: 10_000_000 }])(
    'of a coarse JPEG keeps its coefficients, and tells how they look: %o',
    async (limit) => {
      const coarse = await recoded(await sample('photo.jpg'), 40);
      const { bytes, quality, score } = result(coarse, { format: 'jxl', ...limit });
      expect(quality).toBe('lossless');
      const shown = await scoreOf(coarse, bytes);
      expect(shown).toBeLessThan(97);
      expect(shown).toBeGreaterThan(88);
      expect(Math.abs(shown - Number(score))).toBeLessThan(1.5);
    },
  );

  it('has no score where its quality was asked for', async () => {
    const photo = await sample('photo.jpg');
    expect(result(photo, { format: 'jxl', quality: 60 })).toMatchObject({
      quality: 60,
      score: null,
    });
    expect(result(photo, { format: 'jxl', quality: 'lossless' })).toMatchObject({
      quality: 'lossless',
      score: null,
      engine: 'jxl-coefficients',
    });
  });
});

async function recoded(file: Uint8Array, quality: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await sharp(file).jpeg({ quality }).toBuffer());
}
