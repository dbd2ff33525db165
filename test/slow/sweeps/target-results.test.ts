import { describe, expect, it } from 'vitest';
import type { OptimizeOptions } from '../../../src/image/engine.ts';
import { inspect } from '../../../src/image/formats/registry.ts';
import { ScorePool, scoringBytes } from '../../../src/image/metric/ssimulacra2.ts';
import { decodedFile } from '../../../src/image/pipeline/target/trials.ts';
import { rowsOf } from '../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../src/image/slices.ts';
import { arena } from '../../../src/image/wasm/arena.ts';
import { answerTo, optimize, smallestOf } from '../../support/engine.ts';
import { sample } from '../../support/pictures.ts';

type Wanted = Partial<OptimizeOptions>;

async function result(name: string, wanted: Wanted) {
  return optimize(await sample(name), wanted);
}

/** SSIMULACRA2 of a whole result. */
async function scoreOf(name: string, bytes: Uint8Array): Promise<number> {
  const before = runAtOnce(decodedFile(await sample(name)));
  const after = runAtOnce(decodedFile(bytes.slice()));
  arena.reserve(scoringBytes(before, false));
  const pool = new ScorePool(false);
  runAtOnce(pool.add(rowsOf(before), rowsOf(after), null, arena));
  return pool.score ?? Number.NaN;
}

describe('a target', () => {
  it.each(['jpeg', 'webp', 'avif'] as const)(
    'is met by %s, and the score that is told is the true one',
    async (format) => {
      let last = 0;
      for (const target of [65, 77, 86]) {
        const { bytes, quality, score } = await result('photo.jpg', { format, target });
        expect(quality).toEqual(expect.any(Number));
        const whole = await scoreOf('photo.jpg', bytes);
        expect(Math.abs(whole - target)).toBeLessThan(2.5);
        expect(Math.abs(whole - Number(score))).toBeLessThan(2.5);
        expect(bytes.length).toBeGreaterThan(last);
        last = bytes.length;
      }
    },
  );

  it.each(['interface.png', 'photo.jpg'])(
    'of an AVIF of %s has a score that was measured, not guessed',
    async (name) => {
      const { bytes, quality, score } = await result(name, { format: 'avif', target: 77 });
      expect(quality).toEqual(expect.any(Number));
      expect(await scoreOf(name, bytes)).toBeCloseTo(Number(score), 1);
    },
  );

  it('is that of medium where none is asked for', async () => {
    const [usual, medium] = await Promise.all([
      result('photo.jpg', { format: 'webp' }),
      result('photo.jpg', { format: 'webp', target: 77 }),
    ]);
    expect(usual.bytes).toEqual(medium.bytes);
  });

  it('is not looked for where a quality is asked for, and no score is told', async () => {
    expect(await result('photo.jpg', { quality: 60 })).toMatchObject({ quality: 60, score: null });
  });

  it('is passed by what loses nothing', async () => {
    const { quality, score } = await result('logo.png', { format: 'webp', target: 95 });
    if (quality === 'lossless') expect(score).toBe(100);
    expect(Number(score)).toBeGreaterThan(90);
  });
});

describe('a limit of bytes', () => {
  it.each(['jpeg', 'webp', 'avif'] as const)('is kept by %s, and used', async (format) => {
    for (const maxBytes of [70_000, 120_000]) {
      const { bytes } = await result('photo.jpg', { format, maxBytes });
      expect(bytes.length).toBeLessThanOrEqual(maxBytes);
      expect(bytes.length).toBeGreaterThan(0.85 * maxBytes);
      expect(inspect(bytes)).toMatchObject({ kind: 'image', image: { type: format } });
    }
  });

  it('leaves no more than the target that stands beside it', async () => {
    const [limited, free] = await Promise.all([
      result('photo.jpg', { format: 'webp', target: 65, maxBytes: 10_000_000 }),
      result('photo.jpg', { format: 'webp', target: 65 }),
    ]);
    expect(Math.abs(Number(limited.score) - Number(free.score))).toBeLessThan(1.5);
  });

  it.each(['jpeg', 'webp'] as const)(
    'that %s cannot keep is refused with the length of a result that can be had',
    async (format) => {
      const smallestBytes = smallestOf(
        answerTo(await sample('photo.jpg'), { format, maxBytes: 1000 }),
      );
      const { bytes } = await result('photo.jpg', { format, maxBytes: smallestBytes });
      expect(bytes.length).toBe(smallestBytes);
      expect(Math.abs((await scoreOf('photo.jpg', bytes)) - 30)).toBeLessThan(4);
    },
  );

  it.each(['jpeg', 'webp', 'avif'] as const)('tells what a %s really scores', async (format) => {
    const { bytes, score } = await result('photo.jpg', { format, maxBytes: 60_000 });
    expect(Math.abs((await scoreOf('photo.jpg', bytes)) - Number(score))).toBeLessThan(0.3);
  });
});
