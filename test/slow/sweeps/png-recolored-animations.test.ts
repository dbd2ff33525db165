import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { rowsOfRegion } from '../../../src/image/animation/composition.ts';
import { wholeOf } from '../../../src/image/animation/regions.ts';

import { ScorePool } from '../../../src/image/metric/ssimulacra2.ts';
import { defaultOptions } from '../../../src/image/pipeline/options.ts';
import { plan } from '../../../src/image/pipeline/plan.ts';
import { readSource } from '../../../src/image/pipeline/read-source.ts';
import { runAtOnce } from '../../../src/image/slices.ts';
import { arena } from '../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../src/image/wasm/budgets.ts';
import { pngColor } from '../../support/animations/apng-maker.ts';
import { timelineOf } from '../../support/animations/judges.ts';
import {
  confetti,
  gradient,
  landscape,
  type PictureAt,
  sticker,
} from '../../support/animations/soft-pictures.ts';
import { timelineDifference } from '../../support/animations/timeline.ts';
import { answerTo, optimize } from '../../support/engine.ts';
import { gammaCurve, greyProfile } from '../../support/icc.ts';
import {
  apngOf,
  chunksOf,
  colorTypeOf,
  profileChunk,
} from '../../unit/image/formats/png/animating.ts';

const count = 8;

function fileOf(size: { width: number; height: number }, pictureAt: PictureAt) {
  return apngOf({ ...size, depth: 8, count, color: pngColor.rgba }, pictureAt);
}

const stickerFile = fileOf({ width: 120, height: 120 }, sticker);
const landscapeFile = fileOf({ width: 128, height: 96 }, landscape);

async function picturesOf(file: Uint8Array) {
  const { width, height, pictures } = await timelineOf('png', file);
  return pictures.map(({ pixels, end }) => {
    const words = new Uint32Array(Uint8Array.from(pixels).buffer);
    return { width, height, pixels: words, end };
  });
}

/** The mean SSIMULACRA2 of all pictures of two animations. */
async function scoreOf(made: Uint8Array, file: Uint8Array): Promise<number> {
  arena.reserve(arenaCeiling);
  const [coded, references] = [await picturesOf(made), await picturesOf(file)];
  expect(coded.map(({ end }) => end)).toEqual(references.map(({ end }) => end));
  const scores = references.map((reference, i) => {
    const pool = new ScorePool(true);
    const other = coded[i] ?? reference;
    const rows = (canvas: typeof other) => rowsOfRegion(canvas, wholeOf(canvas));
    runAtOnce(pool.add(rows(reference), rows(other), null, arena));
    return pool.score ?? Number.NaN;
  });
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

describe('an APNG with more colours than a palette holds', () => {
  it.each([
    ['with soft edges', stickerFile],
    ['of a landscape', landscapeFile],
  ])('%s gets one palette for all frames, which scores what it is said to', async (_name, file) => {
    const { bytes, quality, score } = optimize(file);
    expect(quality).toBe(80);
    expect(colorTypeOf(bytes)).toBe(pngColor.palette);
    expect(chunksOf(bytes, 'PLTE')).toHaveLength(1);
    const exact = optimize(file, { quality: 'lossless' });
    expect(bytes.length).toBeLessThan(0.6 * exact.bytes.length);
    expect(score).toBeGreaterThanOrEqual(75);
    expect(await scoreOf(bytes, file)).toBeCloseTo(score ?? 0, 0);
  });

  it('stays transparent and opaque where it was, with soft edges between', async () => {
    const before = await picturesOf(stickerFile);
    const after = await picturesOf(optimize(stickerFile).bytes);
    const alphas = new Set<number>();
    for (const [frame, { pixels }] of before.entries()) {
      for (const [i, pixel] of pixels.entries()) {
        const shown = after[frame]?.pixels[i] ?? 0;
        if (pixel >>> 24 === 255) expect(shown >>> 24).toBe(255);
        if (pixel >>> 24 === 0) expect(shown).toBe(0);
        alphas.add(shown >>> 24);
      }
    }
    expect(alphas.size).toBeGreaterThan(12);
  });

  it('does not flicker: what does not change is shown the same again', async () => {
    const before = await picturesOf(landscapeFile);
    const after = await picturesOf(optimize(landscapeFile).bytes);
    for (let frame = 1; frame < count; frame += 1) {
      const [was, is] = [before[frame - 1], before[frame]];
      for (let i = 0; i < 128 * 96; i += 1) {
        if (was?.pixels[i] !== is?.pixels[i]) continue;
        expect(after[frame]?.pixels[i]).toBe(after[frame - 1]?.pixels[i]);
      }
    }
  });

  it.each([
    ['takes fewer bytes with all of them', fileOf({ width: 128, height: 96 }, gradient)],
    ['is noise that no palette shows', fileOf({ width: 64, height: 48 }, confetti)],
  ])('keeps all of them where it %s', async (_name, file) => {
    const { bytes, quality, score } = optimize(file);
    expect({ quality, score }).toEqual({ quality: 'lossless', score: 100 });
    expect(timelineDifference(await timelineOf('png', bytes), await timelineOf('png', file))).toBe(
      null,
    );
  });

  it('gets more or fewer colours by what is asked for, and is shorter with fewer', async () => {
    const targets = [95, 86, 65, 30];
    const results = targets.map((target) => optimize(stickerFile, { target }));
    for (const [i, { bytes, score, quality }] of results.entries()) {
      if (quality !== 'lossless') expect(score).toBeGreaterThan((targets[i] ?? 0) - 2.5);
      const finer = results[i - 1]?.bytes.length ?? stickerFile.length;
      expect(bytes.length).toBeLessThanOrEqual(finer);
    }
    const lengths = [90, 30].map((quality) => optimize(stickerFile, { quality }).bytes.length);
    expect(lengths[1]).toBeLessThan(0.6 * (lengths[0] ?? 0));
  });

  it('gets no more colours than a low target needs', () => {
    const [usual, low] = [optimize(landscapeFile), optimize(landscapeFile, { target: 65 })];
    const colorsOf = ({ bytes }: typeof low) => (chunksOf(bytes, 'PLTE')[0]?.length ?? 0) / 3;
    expect(low.score).toBeGreaterThanOrEqual(62.9);
    expect(low.score).toBeLessThan((usual.score ?? 0) - 4);
    expect(colorsOf(low)).toBeLessThan(0.7 * colorsOf(usual));
    expect(low.bytes.length).toBeLessThan(0.9 * usual.bytes.length);
  });

  it('fits into fewer bytes than all of its colours take', () => {
    const exact = optimize(stickerFile, { quality: 'lossless' }).bytes.length;
    const { bytes } = optimize(stickerFile, { maxBytes: Math.floor(0.4 * exact) });
    expect(bytes.length).toBeLessThanOrEqual(0.4 * exact);
    const refusal = answerTo(stickerFile, { maxBytes: 1000 });
    expect(refusal).toMatchObject({ code: 'max_bytes_unreachable' });
  });

  it('has its default image in the same palette', async () => {
    const size = { width: 120, height: 120 };
    const samples: number[] = [];
    for (let i = 0; i < 120 * 120; i += 1)
      samples.push(...sticker(i % 120, Math.floor(i / 120), 3));
    const content = { ...size, depth: 8, count, color: pngColor.rgba } as const;
    const { bytes } = optimize(apngOf({ ...content, defaultImage: samples }, sticker));
    expect(colorTypeOf(bytes)).toBe(pngColor.palette);
    const still = await sharp(Buffer.from(bytes)).ensureAlpha().raw().toBuffer();
    const [, , , frame] = await picturesOf(bytes);
    expect(new Uint32Array(Uint8Array.from(still).buffer)).toEqual(frame?.pixels);
  });

  it('keeps all of them as grey under a profile for grey, which has no palette', () => {
    const file = apngOf(
      {
        ...{ width: 128, height: 96, depth: 8, count, color: pngColor.greyAlpha },
        before: [profileChunk(greyProfile(gammaCurve(1.8)))],
      },
      (x, y, frame) => [landscape(x, y, frame)[0] ?? 0, Math.min(255, 3 * x)],
    );
    const { bytes, quality } = optimize(file);
    expect(quality).toBe('lossless');
    expect(colorTypeOf(bytes)).toBe(pngColor.greyAlpha);
  });

  it('gets a palette in another size, and when it comes from another format', async () => {
    const small = optimize(landscapeFile, { width: 96 });
    expect(colorTypeOf(small.bytes)).toBe(pngColor.palette);
    const webp = optimize(landscapeFile, { format: 'webp', quality: 'lossless' });
    const { bytes, quality } = optimize(webp.bytes, { format: 'png' });
    expect({ quality, color: colorTypeOf(bytes) }).toEqual({
      quality: 80,
      color: pngColor.palette,
    });
    expect(await scoreOf(bytes, landscapeFile)).toBeGreaterThan(75);
  });
});

describe('an APNG of few colours', () => {
  const few = fileOf({ width: 96, height: 64 }, (x, y, frame) => {
    const level = ((x + 5 * frame) >> 2) & 31;
    return [8 * level, 255 - 7 * level, 4 * (y >> 4), 255];
  });

  it('keeps them as a palette by default', () => {
    const { bytes, quality } = optimize(few);
    expect(quality).toBe('lossless');
    expect(colorTypeOf(bytes)).toBe(pngColor.palette);
  });

  it('gets fewer where less than usual is asked for', () => {
    const [usual, coarse] = [optimize(few), optimize(few, { quality: 30 })];
    expect(coarse.quality).toBe(30);
    expect(coarse.bytes.length).toBeLessThan(usual.bytes.length);
  });
});

describe('a palette for a large APNG', () => {
  const source = readSource(stickerFile);
  if (source.kind !== 'source') throw new Error(source.kind);
  const plannedQuality = (width: number, height: number, frames: number) => {
    const image = { ...source.image, width, height, frames };
    const planned = plan({ ...source, image }, defaultOptions);
    if (planned.kind !== 'animated') return planned.kind;
    const [first] = planned.candidates;
    return first?.kind === 'animate' ? first.quality : first?.kind;
  };

  it('is left out where there is memory for its pictures, but not for others in fewer colours', () => {
    expect(plannedQuality(1000, 1000, 8)).toBe(80);
    expect(plannedQuality(2300, 2300, 8)).toBe('lossless');
  });

  it('is left out where there is computing time for frames, but not for choosing colours', () => {
    expect(plannedQuality(700, 700, 20)).toBe(80);
    expect(plannedQuality(700, 700, 1000)).toBe('lossless');
  });
});
