import { beforeEach, describe, expect, it } from 'vitest';
import { joinBytes } from '../../../../../src/image/container/assemble.ts';
import { type PngRequest, recodePng } from '../../../../../src/image/formats/png/encode.ts';
import { KernelRows, pngRowEncoder } from '../../../../../src/image/formats/png/encode-rows.ts';
import { type PngKernel, runPngKernel } from '../../../../../src/image/formats/png/kernel.ts';
import { pngScoringBytes } from '../../../../../src/image/formats/png/memory.ts';
import { paletteTarget } from '../../../../../src/image/formats/png/palette-candidates.ts';
import { KernelStreams } from '../../../../../src/image/formats/png/streams.ts';
import { noMetadata } from '../../../../../src/image/metadata/metadata.ts';
import { ScorePool } from '../../../../../src/image/metric/ssimulacra2.ts';
import { decodedFile } from '../../../../../src/image/pipeline/target/trials.ts';
import { isTransparent, type Raster } from '../../../../../src/image/pixels/raster.ts';
import { rowsOf } from '../../../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { arena, sideArena } from '../../../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../../../src/image/wasm/budgets.ts';
import { Random } from '../../../../support/random.ts';
import { rasterOf, type SampleAt } from '../../../../support/rows.ts';

const random = new Random(5);

/** Different in each row, so that no row is mistaken for another one. */
const photo: SampleAt = (x, y, c) =>
  c === 3 ? 255 : 120 + 60 * Math.sin(x / 40 + c / 3) + 50 * Math.cos(y / 9) + 6 * random.unit();
/** A picture that no palette can represent. */
const confetti: SampleAt = (_x, _y, c) => (c === 3 ? 255 : random.word() & 255);
const glass: SampleAt = (x, y, c) => (c === 3 ? 255 - 60 * (x >> 6) : photo(x, y, c));

const size = [230, 170] as const;
const accepted: readonly (readonly [string, Raster])[] = [
  ['a photo', rasterOf(...size, photo)],
  ['a transparent one', rasterOf(...size, glass)],
];

const coding = { exact: false, icc: null, grey: false } as const;

beforeEach(() => {
  arena.reserve(arenaCeiling);
  sideArena.reserve(0);
});

/** Encodes the rows of a picture at quality 80. */
function encoded(
  picture: Raster,
  minScore: number | undefined,
  memory: 'spare' | 'none' = 'spare',
) {
  const shape = { ...picture, hasAlpha: isTransparent(picture) };
  const settings = { ...coding, quality: 80, ...(minScore !== undefined && { minScore }) };
  const encoder = pngRowEncoder(shape, settings);
  sideArena.reserve(encoder.sideBytes ?? 0);
  const run = {
    memory: arena,
    ...(memory === 'spare' && { spareMemory: sideArena }),
    appearance: { icc: null, metadata: noMetadata },
    maxBytes: Number.MAX_SAFE_INTEGER,
    bufferBytes: 0,
  };
  const { parts, ...made } = runAtOnce(encoder.encode(rowsOf(picture), run));
  return { ...made, bytes: joinBytes(parts) };
}

/** Score of a file against its source picture. */
function scoreOf(picture: Raster, file: Uint8Array<ArrayBuffer>): number {
  const shown = runAtOnce(decodedFile(file));
  const pool = new ScorePool(isTransparent(picture));
  arena.reserve(arenaCeiling);
  runAtOnce(pool.add(rowsOf(picture), rowsOf(shown), null, arena));
  return pool.score ?? Number.NaN;
}

/** The result with or without the indices of all pixels held. */
function recoded(picture: Raster, holdsIndices: boolean, minScore: number) {
  sideArena.reserve(2 ** 20);
  const request: Omit<PngRequest, 'store'> = {
    palette: paletteTarget(80, minScore),
    keepsHidden: false,
    keepsDepth: false,
    kinds: 'any',
    ownKey: null,
    effort: 'full',
    holdsIndices,
    scoring: sideArena,
    preamble: new Uint8Array(),
    maxBytes: Number.MAX_SAFE_INTEGER,
    omitsWithoutRoom: false,
  };
  const work = function* (kernel: PngKernel) {
    const rows = new KernelRows(kernel, rowsOf(picture));
    const store = new KernelStreams(kernel);
    const made = yield* recodePng(kernel, rows, null, { ...request, store });
    return made && { score: made.score, isExact: made.isExact };
  };
  return runAtOnce(runPngKernel(null, work));
}

describe('a palette', () => {
  for (const [name, picture] of accepted) {
    it(`is told the score that its file has: ${name}`, { tags: 'slow' }, () => {
      const { quality, score = 0, bytes } = encoded(picture, 75);
      expect(quality).toBe(80);
      expect(score).toBeGreaterThanOrEqual(75);
      expect(score).toBeLessThan(100);
      expect(score).toBeCloseTo(scoreOf(picture, bytes), 6);
    });

    it(`scores the same whether its indices are held or pass: ${name}`, { tags: 'slow' }, () => {
      const [held, passing] = [true, false].map((holds) => recoded(picture, holds, 75));
      expect(held?.isExact).toBe(false);
      expect(passing).toEqual(held);
    });

    it(`is refused where it does not reach the score: ${name}`, { tags: 'slow' }, () => {
      const { score = 0 } = encoded(picture, 75);
      expect(encoded(picture, score).quality).toBe(80);
      for (const holds of [true, false]) {
        expect(recoded(picture, holds, score + 0.01)).toEqual({ score: 100, isExact: true });
      }
    });
  }

  it('is refused for what no palette shows', () => {
    const picture = rasterOf(...size, confetti);
    expect(encoded(picture, 75)).toMatchObject({ quality: 'lossless', score: 100 });
  });

  it('is judged by the error alone, where no score is asked for or there is no memory for one', {
    tags: 'slow',
  }, () => {
    const picture = rasterOf(...size, photo);
    const asked = encoded(picture, undefined);
    const short = encoded(picture, 99.9, 'none');
    for (const made of [asked, short]) {
      expect(made.quality).toBe(80);
      expect(made).not.toHaveProperty('score');
    }
    expect(short.bytes).toEqual(asked.bytes);
  });

  it('of a picture too small for a score is judged by the error', () => {
    const made = encoded(rasterOf(400, 7, photo), 99.9);
    expect(made.quality).toBe(80);
    expect(made).not.toHaveProperty('score');
  });
});

describe('pngScoringBytes', () => {
  const shape = { width: 1000, height: 500, hasAlpha: false };
  const scored = { quality: 80, minScore: 75 };

  it('is what two rows of blurred maps take, and twice that with transparency', () => {
    const opaque = pngScoringBytes(shape, scored);
    expect(opaque).toBeGreaterThan(2 ** 19);
    expect(opaque).toBeLessThan(2 ** 20);
    expect(pngScoringBytes({ ...shape, hasAlpha: true }, scored)).toBeGreaterThan(1.8 * opaque);
  });

  it('is nothing where nothing is scored, or rows are too long', () => {
    expect(pngScoringBytes(shape, { quality: 80 })).toBe(0);
    expect(pngScoringBytes(shape, { ...scored, quality: 'lossless' })).toBe(0);
    expect(pngScoringBytes({ ...shape, height: 7 }, scored)).toBe(0);
    expect(pngScoringBytes({ ...shape, width: 12_000 }, scored)).toBe(0);
    expect(pngScoringBytes({ ...shape, width: 2 ** 30 }, scored)).toBe(0);
  });
});
