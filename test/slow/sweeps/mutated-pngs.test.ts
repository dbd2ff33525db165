import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { chunksOf } from '../../../bench/codecs/png/coders.ts';
import { type DeepRaster, plainDecoded } from '../../../bench/codecs/png/plain-decoder.ts';
import { runPngKernel } from '../../../src/image/formats/png/kernel.ts';
import { execute } from '../../../src/image/pipeline/execute.ts';
import { defaultOptions, type OptimizeOptions } from '../../../src/image/pipeline/options.ts';
import { plan } from '../../../src/image/pipeline/plan.ts';
import { readSource } from '../../../src/image/pipeline/read-source.ts';
import type { Result } from '../../../src/image/pipeline/result.ts';
import { runAtOnce } from '../../../src/image/slices.ts';
import { arena } from '../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../src/image/wasm/budgets.ts';
import { mostHeld } from '../../support/held-buffers.ts';
import { kernelTraps } from '../../support/kernels.ts';
import { mutatedPng } from '../../support/mutations/png.ts';
import { chunk } from '../../support/pictures.ts';
import { Random } from '../../support/random.ts';
import {
  channelCounts,
  layouts,
  type Picture,
  pngWith,
} from '../../unit/image/formats/png/png-writer.ts';

const firstSeed = 0;
/** Thirty thousand, one after the other, have passed as well. */
const mutations = 2000;

const lossless: Partial<OptimizeOptions> = { quality: 'lossless' };
const others: readonly Partial<OptimizeOptions>[] = [
  { quality: 'auto' },
  { quality: 50 },
  { quality: 1 },
  { quality: 'lossless', metadata: 'all' },
  { width: 9 },
];

const { traps, restore } = kernelTraps('cursor');
afterAll(restore);

const ancillary = [
  chunk('gAMA', Uint8Array.of(0, 0, 0xb1, 0x8f)),
  chunk('pHYs', Uint8Array.of(0, 0, 11, 19, 0, 0, 11, 19, 1)),
  chunk('tEXt', Buffer.from('Comment\0nothing')),
];

const originals = layouts.flatMap(([colorType, bitDepth], i) =>
  [false, true].map((interlaced) => original({ colorType, bitDepth, interlaced }, i)),
);

describe('a PNG that has been damaged', () => {
  it('becomes a picture with the same samples or is refused', { timeout: 180_000 }, async () => {
    const tally = { results: 0, refusals: 0 };
    for (let seed = firstSeed; seed < firstSeed + mutations; seed += 1) {
      const file = mutation(seed);
      for (const options of [lossless, others[seed % others.length] ?? {}]) {
        const name = `seed ${seed}, ${JSON.stringify(options)}`;
        const [before, start] = [arena.bytes, process.cpuUsage().user];
        const { result, predicted, isAnimated } = answer(file, options);
        expect(process.cpuUsage().user - start, name).toBeLessThan(2e6);
        expect(arena.bytes, name).toBeLessThanOrEqual(Math.max(before, predicted + 65_536));
        tally[result ? 'results' : 'refusals'] += 1;
        if (!result || isAnimated) continue;
        await expect(decodes(result.bytes), name).resolves.toBeInstanceOf(Buffer);
        if (options.width !== undefined || result.quality !== 'lossless') continue;
        const [source, coded] = [shown(file), plainDecoded(result.bytes)];
        const isExact = options.quality === 'lossless';
        expect(isExact ? isSame(coded, source) : looksSame(coded, source), name).toBe(true);
      }
    }
    expect(traps).toEqual([]);
    expect(tally.results).toBeGreaterThan(mutations / 4);
    expect(tally.refusals).toBeGreaterThan(mutations / 4);
    expect(arena.bytes).toBeLessThanOrEqual(arenaCeiling);
  });

  it('leaves no memory behind', async () => {
    const before = await aliveBytes();
    for (let seed = firstSeed; seed < firstSeed + 60; seed += 1) {
      for (const options of [lossless, ...others]) answer(mutation(seed), options);
    }
    const held = (await aliveBytes()) - before;
    expect(held).toBeLessThan(1_000_000);
  });
});

describe('a trap in the kernel', () => {
  it('would be noticed here', () => {
    const outside = 2 ** 30;
    const work = runPngKernel(null, function* (kernel) {
      kernel.surveyRow(outside, outside, false);
    });
    expect(() => runAtOnce(work)).toThrow('gave up');
    expect(traps).toEqual([expect.stringContaining('surveyRow')]);
  });
});

type Layout = Pick<Picture, 'colorType' | 'bitDepth'> & { readonly interlaced: boolean };

/** Of a few colors or of many, with or without all that a file may have beside its samples. */
function original(layout: Layout, i: number): Uint8Array<ArrayBuffer> {
  const { colorType, bitDepth, interlaced } = layout;
  const random = new Random(i);
  const levels = 2 ** bitDepth;
  const noise = Array.from({ length: 64 }, () => Math.floor(levels * random.unit()));
  const channels = channelCounts[colorType];
  const entries = Math.min(levels, 200);
  const picture: Picture = {
    ...{ ...layout, width: 21 + i, height: 33 - i },
    sample: (x, y, channel) =>
      i % 3 === 0
        ? (noise[(x * 7 + y * 13 + channel * 5) % 64] ?? 0)
        : i % 3 === 1 && channels % 2 === 0 && channel === channels - 1
          ? (levels - 1) * ((x ^ y) & 1)
          : (x * 3 + y * (channel + 1) * (bitDepth === 16 ? 999 : 1)) % levels,
  };
  const colors = Uint8Array.from({ length: 3 * entries }, (_, at) => at * 73);
  const transparency = { 0: 2, 2: 6, 3: entries >> 1, 4: 0, 6: 0 }[colorType];
  const file = pngWith(
    {
      ...picture,
      ...(colorType === 3 || i % 4 === 1 ? { palette: colors } : {}),
      ...(i % 2 === 0 && transparency > 0
        ? { transparency: Uint8Array.from({ length: transparency }, (_, at) => (at & 1) * 3) }
        : {}),
    },
    undefined,
    interlaced ? 100 : undefined,
  );
  const besides = i % 3 === 2 ? [...ancillary, ...(i % 2 ? frames(i % 4 < 2 ? 1 : 2) : [])] : [];
  return Uint8Array.from(Buffer.concat([file.subarray(0, 33), ...besides, file.subarray(33)]));
}

/** An animation's header, and what says that the image data are its first frame. */
function frames(count: number): readonly Buffer[] {
  return [
    chunk('acTL', Uint8Array.of(0, 0, 0, count, 0, 0, 0, 0)),
    chunk('fcTL', Buffer.alloc(26)),
  ];
}

function mutation(seed: number): Uint8Array<ArrayBuffer> {
  return mutatedPng(originals[seed % originals.length] ?? new Uint8Array(), new Random(seed));
}

/** What a request would be answered with, null if it is refused, and the arena that was predicted. */
function answer(
  file: Uint8Array<ArrayBuffer>,
  options: Partial<OptimizeOptions>,
): { readonly result: Result | null; readonly predicted: number; readonly isAnimated: boolean } {
  const none = { result: null, predicted: 0, isAnimated: false };
  const source = readSource(file);
  if (source.kind !== 'source') return none;
  const planned = plan(source, { ...defaultOptions, ...options });
  if (planned.kind === 'refused') return none;
  const level = options.metadata ?? 'none';
  const outcome = runAtOnce(
    execute(file.slice(), source, planned, { level, releaseFile: () => null }),
  );
  const predicted = Math.max(...planned.candidates.map(({ peak }) => peak.arena));
  return {
    result: outcome.kind === 'result' ? outcome : null,
    predicted,
    isAnimated: planned.kind === 'animated',
  };
}

function decodes(file: Uint8Array): Promise<Buffer> {
  return sharp(file, { failOn: 'error' }).raw().toBuffer();
}

/** The samples of a file: of chunks that may stand there once the first counts, before image data. */
function shown(file: Uint8Array): DeepRaster {
  const seen = new Set<string>();
  const counting = chunksOf(file).filter(({ type, bytes }) => {
    const isTransparency =
      type !== 'tRNS' || isAppliedTransparency(file, Buffer.from(bytes), seen.has('PLTE'));
    const counts = type === 'IDAT' || !(seen.has(type) || seen.has('IDAT') || !isTransparency);
    if (isTransparency) seen.add(type);
    return counts;
  });
  return plainDecoded(Buffer.concat([file.subarray(0, 8), ...counting.map(({ bytes }) => bytes)]));
}

/** Whether browsers apply a tRNS chunk: surplus bytes matter only with samples of 16 bits, too few entries never. */
function isAppliedTransparency(file: Uint8Array, chunk: Buffer, hasPalette: boolean): boolean {
  const [bitDepth = 0, colorType = 0] = file.subarray(24);
  const content = chunk.subarray(8, -4);
  if (crc32(chunk.subarray(4, -4)) !== chunk.readUInt32BE(chunk.length - 4)) return false;
  if (colorType === 3) return hasPalette && content.length <= 256;
  const key = colorType === 0 ? 2 : colorType === 2 ? 6 : Number.POSITIVE_INFINITY;
  return content.length === key || (content.length > key && bitDepth < 16);
}

function isSame(a: DeepRaster, b: DeepRaster): boolean {
  return (
    a.width === b.width &&
    a.height === b.height &&
    Buffer.from(a.data.buffer).equals(Buffer.from(b.data.buffer))
  );
}

/** The same, but for colors under full transparency. */
function looksSame(a: DeepRaster, b: DeepRaster): boolean {
  return isSame(withoutHidden(a), withoutHidden(b));
}

function withoutHidden({ data, ...size }: DeepRaster): DeepRaster {
  const shown = data.map((sample, i) => ((data[i | 3] ?? 0) === 0 ? 0 : sample));
  return { ...size, data: shown };
}

/** Of buffers, once all that can be collected has been. */
async function aliveBytes(): Promise<number> {
  await mostHeld(() => {});
  await mostHeld(() => {});
  return process.memoryUsage().arrayBuffers;
}
