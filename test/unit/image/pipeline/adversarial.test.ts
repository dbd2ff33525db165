import { afterEach, describe, expect, it, vi } from 'vitest';
import { ImageError } from '../../../../src/image/engine.ts';
import type { Source } from '../../../../src/image/formats/inspection.ts';
import { png } from '../../../../src/image/formats/png/png.ts';
import { defaultOptions, type OptimizeOptions } from '../../../../src/image/pipeline/options.ts';
import { plan } from '../../../../src/image/pipeline/plan.ts';
import { predictedCpu } from '../../../../src/image/pipeline/predicted-cpu.ts';
import { readHeaders, readSource } from '../../../../src/image/pipeline/read-source.ts';
import { avifOfBoxes, avifOfItems } from '../../../support/adversarial/avif.ts';
import { gifOfClears, gifOfComments } from '../../../support/adversarial/gif.ts';
import { jpegOfScans, jpegOfSegments } from '../../../support/adversarial/jpeg.ts';
import {
  apngOfBlocks,
  pngOfBlocks,
  pngOfChunks,
  pngOfProfile,
  pngOfText,
} from '../../../support/adversarial/png.ts';
import { webpOfChunks, webpOfGroups } from '../../../support/adversarial/webp.ts';
import { answerTo, optimize } from '../../../support/engine.ts';
import { displayP3Profile } from '../../../support/icc.ts';

/** The error for a picture that takes far more work than any encoder’s. */
const excessive = {
  code: 'invalid_image',
  detail: expect.stringContaining('coded as no encoder does'),
};

const dynamic = 'empty dynamic blocks';

/** Milliseconds that are predicted for a file. */
function predictedFor(file: Uint8Array, wanted: Partial<OptimizeOptions> = {}): number {
  const source: Source | { readonly kind: string } = readSource(file);
  if (!('image' in source)) throw new Error(source.kind);
  const planned = plan(source, { ...defaultOptions, ...wanted });
  if (planned.kind === 'refused') throw new Error(planned.reason);
  return predictedCpu(planned.candidates);
}

describe('a picture coded in more parts than any encoder writes', () => {
  const files = {
    'a PNG of empty blocks': pngOfBlocks(dynamic, 60_000),
    'a PNG of fixed and dynamic blocks': pngOfBlocks('fixed and dynamic blocks in turn', 60_000),
    'an APNG of empty blocks': apngOfBlocks(dynamic, 2, 60_000),
    'a WebP of unused groups of codes': webpOfGroups(16, 'codes of one symbol', 20_000, 'two'),
  };

  it.each(Object.entries(files))('stays as it is: %s', (_, file) => {
    const { bytes } = optimize(file, { format: 'keep' });
    expect(Buffer.compare(bytes, file)).toBe(0);
  });

  it.each(Object.entries(files))('is not converted: %s', (name, file) => {
    const format = name.includes('WebP') ? 'png' : 'webp';
    expect(answerTo(file, { format })).toMatchObject(excessive);
    const first = answerTo(file, { format: 'jpeg', background: [0, 0, 0], animation: 'first' });
    expect(first).toMatchObject(excessive);
  });

  it('has no profile and no text that is packed like that', () => {
    const profiled = pngOfProfile(dynamic, displayP3Profile(), 60_000);
    expect(readSource(profiled)).toMatchObject({ kind: 'unsupported-feature' });
    for (const type of ['zTXt', 'iTXt'] as const) {
      const refusal = answerTo(pngOfText(type, dynamic, 60_000), {});
      expect(refusal).toMatchObject({ code: 'invalid_image', detail: /packed as no encoder does/ });
    }
    // Little of it does no harm.
    for (const file of [
      pngOfText('zTXt', dynamic, 3000),
      pngOfProfile(dynamic, displayP3Profile(), 3000),
    ]) {
      expect(answerTo(file)).not.toBeInstanceOf(ImageError);
    }
  });
});

describe('headers of more parts than any encoder writes', () => {
  it.each([
    ['PNG', (part: number) => pngOfChunks('prVt', 12 * 132_000 * part)],
    ['GIF', (part: number) => gifOfComments(5 * 101_000 * part, 'many')],
    ['WebP', (part: number) => webpOfChunks(8 * 101_000 * part)],
    ['JPEG', (part: number) => jpegOfSegments('applications', 4 * 10_100 * part)],
    ['AVIF', (part: number) => avifOfBoxes(8 * 66_000 * part)],
  ])('are refused in a %s', async (_, make) => {
    expect(readHeaders(await make(0.9)).kind).toBe('source');
    expect(readHeaders(await make(1)).kind).toMatch(/broken|unsupported-feature/);
  });
});

describe('the predicted CPU time', () => {
  /** Measured for the worst of these parts. */
  it.each([
    [
      'blocks that no row of a PNG needs',
      35e-6,
      (n: number) => pngOfBlocks('empty stored blocks', n),
      20_000,
      100_000,
    ],
    ['chunks of a PNG', 0.003, (n: number) => pngOfChunks('prVt', 12 * n), 100, 1000],
    [
      'bytes of a packed profile',
      50e-6,
      (n: number) => pngOfProfile('empty stored blocks', displayP3Profile(), n),
      1000,
      50_000,
    ],
    [
      'bytes of a packed text',
      50e-6,
      (n: number) => pngOfText('zTXt', 'empty stored blocks', n),
      1000,
      15_000,
    ],
    ['sub-blocks of a GIF', 50e-6, (n: number) => gifOfClears(n, 1), 1000, 50_000],
    ['segments of a JPEG', 0.002, (n: number) => jpegOfSegments('applications', 4 * n), 100, 1000],
    ['scans of a JPEG', 0.1, (n: number) => jpegOfScans(64, n), 20, 100],
  ])('rises with %s', (_, worstMs, make, few, many) => {
    for (const format of ['keep', 'webp'] as const) {
      const rise = predictedFor(make(many), { format }) - predictedFor(make(few), { format });
      expect(rise).toBeGreaterThan(worstMs * (many - few));
    }
  });

  it('rises with the boxes and items of an AVIF', async () => {
    const plain = predictedFor(await avifOfBoxes(8), { format: 'webp' });
    const boxes = predictedFor(await avifOfBoxes(8 * 1000), { format: 'webp' });
    expect(boxes - plain).toBeGreaterThan(0.004 * 998);
    // Three rows each.
    const items = predictedFor(await avifOfItems(300), { format: 'webp' });
    expect(items - plain).toBeGreaterThan(0.01 * 900);
  });

  it('counts what no frame of an APNG needs in each pass', () => {
    const of = (bytes: number) => predictedFor(apngOfBlocks('empty stored blocks', 2, bytes));
    expect(of(60_000) - of(20_000)).toBeGreaterThan(2 * 2 * 35e-6 * 40_000);
  });
});

describe('headers', () => {
  afterEach(() => vi.restoreAllMocks());

  it('are read without unpacking anything', () => {
    const profile = vi.spyOn(png.read, 'profile');
    const findHarm = vi.spyOn(png.read, 'findHarm');
    const file = pngOfProfile(dynamic, displayP3Profile(), 60_000);
    expect(readHeaders(file)).toMatchObject({ kind: 'source', icc: null });
    expect(readHeaders(pngOfText('zTXt', dynamic, 60_000))).toMatchObject({ kind: 'source' });
    expect(profile).not.toHaveBeenCalled();
    expect(findHarm).not.toHaveBeenCalled();
  });
});
