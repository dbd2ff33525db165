import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import {
  type GivenSetOptions,
  planSet,
  readSetOptions,
  type SetOutcome,
} from '../../../src/image/engine.ts';
import { execute } from '../../../src/image/pipeline/execute.ts';
import { defaultOptions, type OptimizeOptions } from '../../../src/image/pipeline/options.ts';
import { plan } from '../../../src/image/pipeline/plan.ts';
import { readSource } from '../../../src/image/pipeline/read-source.ts';
import { runAtOnce } from '../../../src/image/slices.ts';
import { arena } from '../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../src/image/wasm/budgets.ts';
import { mostHeld } from '../../support/held-buffers.ts';
import { largeProfile, withJpegProfile } from '../../support/icc.ts';
import { sample } from '../../support/pictures.ts';
import { Random } from '../../support/random.ts';
import { ultraHdr } from '../../support/ultra-hdr.ts';

/** Nothing takes more bytes than noise. */
function noise(width: number, height: number, channels: 1 | 3 | 4): Sharp {
  const random = new Random(11);
  const data = Buffer.alloc(width * height * channels);
  for (let i = 0; i < data.length; i += 1) data[i] = random.unit() * 256;
  return sharp(data, { raw: { width, height, channels } });
}

/** Buffers beside the file at the worst moment, and what the plan had counted on. */
async function measure(
  bytes: Uint8Array,
  options: Partial<OptimizeOptions>,
  { isReleased = false } = {},
) {
  arena.reserve(arenaCeiling);
  const file = Uint8Array.from(bytes);
  const source = readSource(file);
  if (source.kind !== 'source') throw new Error(source.kind);
  const all = { ...defaultOptions, ...options };
  const planned = plan(source, all);
  if (planned.kind === 'refused') throw new Error(planned.reason);
  const counted = Math.max(...planned.candidates.map(({ peak }) => peak.buffers));
  let kind = '';
  const held = await mostHeld(() => {
    const work = execute(file, source, planned, {
      level: all.metadata,
      releaseFile: () => (isReleased ? file.buffer.transfer() : null),
    });
    ({ kind } = runAtOnce(work));
  });
  expect(kind).toBe('result');
  return { held, counted };
}

async function noiseWithGainMap(): Promise<Uint8Array> {
  const [picture, map] = await Promise.all([
    noise(1400, 1000, 3).jpeg({ quality: 95 }).toBuffer(),
    noise(1400, 1000, 1).toColourspace('b-w').jpeg({ quality: 90 }).toBuffer(),
  ]);
  return ultraHdr({ picture, map });
}

/** What codecs are born with, kept for their next run, and what node itself holds. */
const slack = 900_000;

describe('what is held in JavaScript beside the file', () => {
  it.each<[string, () => Promise<Uint8Array>, Partial<OptimizeOptions>]>([
    [
      'JPEG to WebP',
      () => noise(1400, 1000, 3).jpeg({ quality: 95 }).toBuffer(),
      { format: 'webp' },
    ],
    [
      'JPEG to JPEG of quality 100',
      () => noise(1000, 800, 3).jpeg({ quality: 100 }).toBuffer(),
      { width: 900, quality: 100 },
    ],
    [
      'turned JPEG to a lossless AVIF of several cells',
      () => noise(1200, 900, 3).jpeg({ quality: 90 }).withMetadata({ orientation: 6 }).toBuffer(),
      { format: 'avif', quality: 'lossless' },
    ],
    [
      'RGBA to lossless WebP',
      () => noise(700, 600, 4).png({ compressionLevel: 1 }).toBuffer(),
      { format: 'webp', quality: 'lossless' },
    ],
    [
      'grey JPEG to PNG',
      () => noise(1000, 1000, 1).toColourspace('b-w').jpeg({ quality: 100 }).toBuffer(),
      { format: 'png' },
    ],
    [
      'CMYK JPEG to WebP',
      () => noise(1400, 1000, 3).toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer(),
      { format: 'webp' },
    ],
    [
      'CMYK JPEG reduced',
      () => noise(1400, 1000, 3).toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer(),
      { width: 900, quality: 100 },
    ],
    [
      'JPEG to a PNG of colours',
      () => noise(1600, 1200, 3).jpeg({ quality: 95 }).toBuffer(),
      { format: 'png' },
    ],
    [
      'JPEG with a large profile to PNG',
      async () => {
        const small = await noise(300, 200, 3).jpeg().toBuffer();
        return withJpegProfile(small, largeProfile(3_000_000));
      },
      { format: 'png' },
    ],
    [
      'interlaced PNG reduced',
      () => noise(1000, 900, 4).png({ progressive: true, compressionLevel: 1 }).toBuffer(),
      { width: 300 },
    ],
    ['photo with a gain map of noise, reduced', noiseWithGainMap, { width: 1100 }],
  ])('is what the plan counted, or less: %s', async (_name, make, options) => {
    const { held, counted } = await measure(await make(), options);
    expect(held).toBeGreaterThan(0);
    expect(held).toBeLessThanOrEqual(counted + slack);
  });

  it('is the gain map of a photo that is coded anew', async () => {
    const { held, counted } = await measure(await noiseWithGainMap(), {}, { isReleased: true });
    expect(held).toBeGreaterThan(500_000);
    expect(held).toBeLessThanOrEqual(counted + slack);
  });

  const files = [
    ['JPEG', () => noise(1600, 1200, 3).jpeg({ quality: 98 }).toBuffer()],
    ['PNG', () => noise(900, 800, 3).png({ compressionLevel: 1 }).toBuffer()],
  ] as const;

  it.each(files)(
    'is next to nothing for a %s that is coded anew: the file makes way for the result',
    async (_type, make) => {
      const bytes = await make();
      expect(bytes.length).toBeGreaterThan(2 * slack);
      for (const quality of ['lossless', 60, 95] as const) {
        const { held, counted } = await measure(bytes, { quality }, { isReleased: true });
        expect(counted).toBeLessThan(slack);
        expect(held).toBeLessThanOrEqual(counted + slack);
      }
    },
  );

  it.each(files)(
    'is the result of a %s that is coded anew where the file has to stay',
    async (_type, make) => {
      const bytes = await make();
      const { held, counted } = await measure(bytes, {
        quality: 'lossless',
        format: 'auto',
        accept: new Set(['jpeg', 'png']),
      });
      expect(counted).toBeGreaterThanOrEqual(bytes.length);
      expect(held).toBeGreaterThan(bytes.length / 2);
      expect(held).toBeLessThanOrEqual(counted + slack);
    },
  );
});

describe('what a pass of a set holds in JavaScript beside the file, its results included', () => {
  it.each<[string, GivenSetOptions]>([
    [
      'in three formats',
      { widths: [400, 800, 1200, 1600, 2000], formats: ['jpeg', 'webp', 'avif'] },
    ],
    ['cropped, as PNGs', { widths: [800, 1600], formats: ['png', 'webp'], ratio: '1:1' }],
    [
      'with margins',
      { widths: [700, 1400], formats: ['jpeg', 'webp'], ratio: '2:1', fit: 'contain' },
    ],
  ])('is what was planned: %s', { timeout: 300_000 }, async (_, given) => {
    arena.reserve(arenaCeiling);
    const file = await sample('phone.jpg');
    for (const pass of planSet(file, readSetOptions(given)).passes) {
      const results: SetOutcome[] = [];
      const held = await mostHeld(() => pass.start((one) => results.push(one)).finish());
      expect(results.map(({ kind }) => kind)).toEqual(pass.results.map(() => 'made'));
      expect(held).toBeLessThan(pass.peak.buffers + slack);
    }
  });
});
