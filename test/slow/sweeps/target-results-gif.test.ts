import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';

import { inspect } from '../../../src/image/formats/registry.ts';
import { ScorePool, scoringBytes } from '../../../src/image/metric/ssimulacra2.ts';
import { defaultOptions, type OptimizeOptions } from '../../../src/image/pipeline/options.ts';
import { plan } from '../../../src/image/pipeline/plan.ts';
import { readSource } from '../../../src/image/pipeline/read-source.ts';
import { decodedFile } from '../../../src/image/pipeline/target/trials.ts';
import type { Raster } from '../../../src/image/pixels/raster.ts';
import { rowsOf } from '../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../src/image/slices.ts';
import { arena } from '../../../src/image/wasm/arena.ts';
import { answerTo, optimize, smallestOf } from '../../support/engine.ts';
import { sample } from '../../support/pictures.ts';

type File = Uint8Array<ArrayBuffer>;

async function gifOf(name: string, width: number, dither: number): Promise<File> {
  const resized = sharp(await sample(name)).resize(width);
  return Uint8Array.from(await resized.gif({ dither, effort: 3 }).toBuffer());
}

/** Pictures that are tried as a whole; `large` is tried by parts. */
const files: Record<'photo' | 'logo' | 'large', File> = Object.create(null);

beforeAll(async () => {
  files.photo = await gifOf('photo.jpg', 600, 1);
  files.logo = await gifOf('logo.png', 200, 0.5);
  files.large = await gifOf('photo.jpg', 1200, 1);
});

function planned(file: File, wanted: Partial<OptimizeOptions>) {
  const source = readSource(file);
  if (source.kind !== 'source') throw new Error(source.kind);
  const made = plan(source, { ...defaultOptions, ...wanted });
  if (made.kind !== 'planned') throw new Error(made.kind);
  return { source, made };
}

function result(file: File, wanted: Partial<OptimizeOptions>) {
  return optimize(file.slice(), wanted);
}

function shown(file: File): Raster {
  return runAtOnce(decodedFile(file));
}

/** SSIMULACRA2 of a whole result, on two grounds where pixels are transparent. */
function scoreOf(file: File, bytes: File): number {
  const looked = inspect(file);
  const hasAlpha = looked.kind === 'image' && looked.image.hasAlpha;
  const [before, after] = [shown(file), shown(bytes)];
  arena.reserve(scoringBytes(before, hasAlpha));
  const pool = new ScorePool(hasAlpha);
  runAtOnce(pool.add(rowsOf(before), rowsOf(after), null, arena));
  return pool.score ?? Number.NaN;
}

describe('the target of a still GIF', () => {
  it.each(['photo', 'large'] as const)(
    'is met, and the score that is told is the true one: %s',
    (name) => {
      let last = 0;
      for (const target of [50, 65, 77, 86]) {
        const { bytes, quality, score } = result(files[name], { target });
        expect(quality).toEqual(expect.any(Number));
        const whole = scoreOf(files[name], bytes);
        expect(Math.abs(whole - target)).toBeLessThan(2);
        expect(Math.abs(whole - Number(score))).toBeLessThan(0.1);
        expect(bytes.length).toBeGreaterThan(last);
        last = bytes.length;
      }
      expect(last).toBeLessThan(0.8 * files[name].length);
    },
  );

  it('is that of medium where none is asked for', () => {
    expect(result(files.photo, {}).bytes).toEqual(result(files.photo, { target: 77 }).bytes);
  });

  it('is met on any ground where pixels are transparent', () => {
    const { bytes, score } = result(files.logo, { target: 86 });
    expect(inspect(bytes)).toMatchObject({ image: { type: 'gif', hasAlpha: true } });
    expect(scoreOf(files.logo, bytes)).toBeCloseTo(Number(score), 1);
    expect(Number(score)).toBeGreaterThan(83);
  });

  it('is passed where loss would save nothing: every pixel stays as it is', async () => {
    const pixels = new Uint8Array(120 * 90).map((_, i) => (((i * i) >> 9) % 2 === 0 ? 0 : 255));
    const drawing = sharp(pixels, { raw: { width: 120, height: 90, channels: 1 } });
    const file = Uint8Array.from(await drawing.gif({ dither: 0 }).toBuffer());
    const { bytes, quality, score } = result(file, { target: 30 });
    expect(score).toBe(100);
    expect(['lossless', 'original']).toContain(quality);
    expect(shown(bytes)).toEqual(shown(file));
    expect(bytes.length).toBeLessThanOrEqual(file.length);
  });

  it('is not looked for where a quality is asked for', () => {
    expect(result(files.photo, { quality: 60 })).toMatchObject({ quality: 60, score: null });
  });
});

describe('a limit of bytes for a still GIF', () => {
  it.each(['photo', 'large'] as const)('is kept, and used: %s', (name) => {
    for (const share of [0.3, 0.6]) {
      const maxBytes = Math.round(share * files[name].length);
      const { bytes, score } = result(files[name], { maxBytes });
      expect(bytes.length).toBeLessThanOrEqual(maxBytes);
      expect(bytes.length).toBeGreaterThan(0.9 * maxBytes);
      expect(scoreOf(files[name], bytes)).toBeCloseTo(Number(score), 1);
    }
  });

  it('that cannot be kept is refused with the length of a result that can be had', () => {
    const smallestBytes = smallestOf(answerTo(files.photo, { maxBytes: 1000 }));
    const { bytes } = result(files.photo, { maxBytes: smallestBytes });
    expect(bytes.length).toBe(smallestBytes);
    expect(Math.abs(scoreOf(files.photo, bytes) - 30)).toBeLessThan(4);
  });
});

describe('the search of a still GIF', () => {
  it('cuts nothing out of one that becomes another format, which has no use for a file of parts', () => {
    const [candidate] = planned(files.large, { format: 'webp' }).made.candidates as readonly {
      search?: object;
    }[];
    expect(candidate?.search).toMatchObject({ sampling: { kind: 'two-runs' } });
    const { score, bytes } = result(files.large, { format: 'webp', target: 77 });
    expect(Math.abs(scoreOf(files.large, bytes) - Number(score))).toBeLessThan(2.5);
  });

  it('tries all of a small one, and parts of a large one, whose result it checks', () => {
    const searchOf = (file: File) => {
      const [candidate] = planned(file, {}).made.candidates as readonly { search?: object }[];
      return candidate?.search;
    };
    expect(searchOf(files.photo)).toMatchObject({ sampling: { kind: 'whole' }, isChecked: false });
    expect(searchOf(files.large)).toMatchObject({ sampling: { kind: 'cut-out' }, isChecked: true });
  });
});
