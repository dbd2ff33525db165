import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ImageError, type Optimized, type OptimizeOptions } from '../../../src/image/engine.ts';
import { runJpegKernel } from '../../../src/image/formats/jpeg/kernel.ts';
import { runAtOnce } from '../../../src/image/slices.ts';
import { arena } from '../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../src/image/wasm/budgets.ts';
import { answerTo } from '../../support/engine.ts';
import { mostHeld } from '../../support/held-buffers.ts';
import { kernelTraps } from '../../support/kernels.ts';
import { mutatedJpeg } from '../../support/mutations/jpeg.ts';
import { Random } from '../../support/random.ts';
import { drawing } from '../../unit/image/formats/jpeg/drawing.ts';
import {
  inkSamplings,
  layouts,
  made,
  samplings,
} from '../../unit/image/formats/jpeg/made-jpegs.ts';

const firstSeed = 0;
/** Ten thousand, one after the other, have passed as well. */
const mutations = 240;

const wanted: Record<string, Partial<OptimizeOptions>> = {
  'without loss': { quality: 'lossless' },
  'of quality 60': { quality: 60 },
  'as a small WebP': { format: 'webp', width: 64 },
};

const { traps, restore } = kernelTraps('bit-reader');
let originals: Uint8Array<ArrayBuffer>[] = [];

beforeAll(async () => {
  const { data, ...size } = drawing(200, 150);
  const drawn = sharp(data, { raw: { ...size, channels: 3 } });
  const encoded = await Promise.all([
    drawn.clone().jpeg({ quality: 80 }).toBuffer(),
    drawn.clone().jpeg({ quality: 92, chromaSubsampling: '4:4:4' }).toBuffer(),
    drawn.clone().jpeg({ quality: 80, progressive: true }).toBuffer(),
    drawn.clone().jpeg({ quality: 85, mozjpeg: true }).toBuffer(),
    drawn.clone().toColourspace('b-w').jpeg({ progressive: true }).toBuffer(),
    drawn.clone().toColourspace('cmyk').jpeg().toBuffer(),
  ]);
  originals = [
    ...encoded.map((file) => Uint8Array.from(file)),
    ...Object.values(layouts).map((layout) => made(90, 70, samplings['4:2:2'], layout(3))),
    made(90, 70, samplings['chroma halved each in its own direction'], { restartInterval: 4 }),
    made(70, 50, inkSamplings['four components'], { adobe: 2 }),
  ];
});

afterAll(restore);

describe('a JPEG that has been damaged', () => {
  it('becomes a picture or is refused', { timeout: 180_000 }, async () => {
    const tally = { results: 0, refusals: 0 };
    for (let seed = firstSeed; seed < firstSeed + mutations; seed += 1) {
      const { file } = mutation(seed);
      for (const [name, options] of Object.entries(wanted)) {
        const outcome = answer(file, options);
        if (!outcome) {
          tally.refusals += 1;
          continue;
        }
        tally.results += 1;
        const decoding = sharp(outcome.bytes, { failOn: 'error' }).raw().toBuffer();
        await expect(decoding, `${name}, seed ${seed}`).resolves.toBeInstanceOf(Buffer);
      }
      expect(traps, `seed ${seed}`).toEqual([]);
    }
    expect(tally.results).toBeGreaterThan(mutations / 2);
    expect(tally.refusals).toBeGreaterThan(mutations / 2);
    expect(arena.bytes).toBeLessThanOrEqual(arenaCeiling);
  });

  it('is not refused as long as it shows the same, and is coded to show it', {
    timeout: 180_000,
  }, async () => {
    let same = 0;
    for (let seed = firstSeed; seed < firstSeed + mutations; seed += 1) {
      const { file, original } = mutation(seed);
      const pixels = await shown(file);
      if (!pixels?.equals((await shown(original)) ?? Buffer.of())) continue;
      same += 1;
      const outcome = answer(file, { quality: 'lossless' });
      expect(outcome, `seed ${seed}`).not.toBeNull();
      if (outcome) expect((await shown(outcome.bytes))?.equals(pixels), `seed ${seed}`).toBe(true);
    }
    expect(same).toBeGreaterThan(mutations / 20);
  });

  it('leaves no memory behind', async () => {
    const before = await aliveBytes();
    for (let seed = firstSeed; seed < firstSeed + 60; seed += 1) {
      for (const options of Object.values(wanted)) answer(mutation(seed).file, options);
    }
    const held = (await aliveBytes()) - before;
    expect(held).toBeLessThan(1_000_000);
  });
});

describe('a trap in the kernel', () => {
  it('would be noticed here', () => {
    const outside = 2 ** 30;
    expect(() =>
      runAtOnce(
        runJpegKernel(Uint8Array.of(), function* (kernel) {
          kernel.buildDecoder(outside, outside, 0);
        }),
      ),
    ).toThrow('gave up');
    expect(traps).toEqual([expect.stringContaining('buildDecoder')]);
  });
});

function mutation(seed: number) {
  const original = originals[seed % originals.length] ?? new Uint8Array();
  return { original, file: mutatedJpeg(original, new Random(seed)) };
}

/** What a request would be answered with; null: it is refused. */
function answer(file: Uint8Array, options: Partial<OptimizeOptions>): Optimized | null {
  const answer = answerTo(file, options);
  return answer instanceof ImageError ? null : answer;
}

/** Samples as libjpeg decodes them without a warning; null if it cannot. */
async function shown(file: Uint8Array): Promise<Buffer | null> {
  try {
    return await sharp(file, { failOn: 'warning' }).raw().toBuffer();
  } catch {
    return null;
  }
}

/** Of buffers, once all that can be collected has been. */
async function aliveBytes(): Promise<number> {
  await mostHeld(() => {});
  await mostHeld(() => {});
  return process.memoryUsage().arrayBuffers;
}
