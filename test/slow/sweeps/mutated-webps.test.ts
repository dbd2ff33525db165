import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viewOf } from '../../../src/image/container/byte-cursor.ts';
import { runWebpKernel } from '../../../src/image/formats/webp/kernel.ts';
import {
  inspectWebp,
  type WebpPicture,
  webpFrames,
} from '../../../src/image/formats/webp/reader.ts';
import { openWebpRows, webpRowBytes } from '../../../src/image/formats/webp/rows.ts';
import { noMetadata } from '../../../src/image/metadata/metadata.ts';
import { encode, SpareCpu } from '../../../src/image/pipeline/attempts.ts';
import { candidatesFor, type EncodeCandidate } from '../../../src/image/pipeline/candidates.ts';
import { type Conversion, conversionsOf } from '../../../src/image/pipeline/conversion.ts';
import { execute } from '../../../src/image/pipeline/execute.ts';
import { defaultOptions, type OptimizeOptions } from '../../../src/image/pipeline/options.ts';
import { plan } from '../../../src/image/pipeline/plan.ts';
import { PreparedPixels } from '../../../src/image/pipeline/prepare-pixels.ts';
import { readSource } from '../../../src/image/pipeline/read-source.ts';
import type { Result } from '../../../src/image/pipeline/result.ts';
import { forEachRowOf, type RowSource } from '../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../src/image/slices.ts';
import { arena, sideArena } from '../../../src/image/wasm/arena.ts';
import { arenaCeiling, maxCpuMs, sideCeiling } from '../../../src/image/wasm/budgets.ts';
import { CodecError } from '../../../src/image/wasm/codec.ts';
import { isFull } from '../../support/full.ts';
import { mostHeld } from '../../support/held-buffers.ts';
import { kernelTraps } from '../../support/kernels.ts';
import { chosen, withFlippedBits } from '../../support/mutations/mutation.ts';
import { mutatedWebp } from '../../support/mutations/webp.ts';
import { Random } from '../../support/random.ts';
import { animatedOriginals, webpOriginals } from './webp-originals.ts';

type File = Uint8Array<ArrayBuffer>;

const firstSeed = 0;
/** Ten thousand, one after the other, at length. */
const mutations = isFull ? 10_000 : 100;
const timeout = isFull ? 1_800_000 : 180_000;

const background = [200, 10, 30] as const;
const lossless: Partial<OptimizeOptions> = { format: 'png', quality: 'lossless' };
const converted: readonly Partial<OptimizeOptions>[] = [
  { format: 'jpeg', quality: 60, background },
  { format: 'png', quality: 'lossless', width: 9 },
  { format: 'jpeg', height: 20, background },
];
const others: readonly Partial<OptimizeOptions>[] = [
  ...converted,
  { format: 'webp', width: 20 },
  { format: 'keep', quality: 'lossless', metadata: 'all' },
  { format: 'keep' },
];

const { traps, restore } = kernelTraps('file-window');
let originals: readonly File[] = [];
let animations: readonly File[] = [];

beforeAll(async () => {
  originals = Object.values(await webpOriginals());
  animations = await animatedOriginals();
});
afterAll(restore);

describe('a WebP that has been damaged', () => {
  it('becomes a picture with the same samples or is refused', { timeout }, async () => {
    const tally = { results: 0, refusals: 0, compared: 0 };
    for (let seed = firstSeed; seed < firstSeed + mutations; seed += 1) {
      const file = mutation(originals, seed);
      for (const options of [lossless, inTurn(others, seed)]) {
        const name = `seed ${seed}, ${JSON.stringify(options)}`;
        const [before, start] = [arena.bytes, process.cpuUsage().user];
        const { result, predicted, isAnimated } = answer(file, options);
        expect(process.cpuUsage().user - start, name).toBeLessThan(2e6);
        expect(arena.bytes, name).toBeLessThanOrEqual(Math.max(before, predicted + 65_536));
        tally[result ? 'results' : 'refusals'] += 1;
        if (!result || isAnimated) continue;
        const coded = await shown(result.bytes);
        expect(coded, name).not.toBeNull();
        if (options !== lossless) continue;
        const isOpaque = await isSeenOpaque(file);
        const source = await shown(file, isOpaque);
        if (!source) continue;
        tally.compared += 1;
        expect((await shown(result.bytes, isOpaque))?.equals(source), name).toBe(true);
      }
    }
    expect(traps).toEqual([]);
    expect(tally.results).toBeGreaterThan(mutations / 4);
    expect(tally.refusals).toBeGreaterThan(mutations / 4);
    expect(tally.compared).toBeGreaterThan(mutations / 8);
    expect(arena.bytes).toBeLessThanOrEqual(arenaCeiling);
    expect(sideArena.bytes).toBeLessThanOrEqual(sideCeiling);
  });

  it('comes to the same on every way to convert it', { timeout }, async () => {
    const tally: Record<Conversion['kind'], number> = { kept: 0, flowing: 0 };
    for (let seed = firstSeed; seed < firstSeed + mutations; seed += 1) {
      const file = mutation(originals, seed);
      const options = inTurn([lossless, ...converted], seed);
      const [kept, ...flowing] = outcomesOnAllWays(file, options);
      if (!kept) continue;
      for (const { way, words, made } of flowing) {
        const name = `seed ${seed}, ${JSON.stringify(options)}, ${nameOf(way)}`;
        expect(words, name).toBe(kept.words);
        expect(await isSame(made, kept.made, way), name).toBe(true);
      }
      tally.kept += 1;
      tally.flowing += flowing.length;
    }
    expect(traps).toEqual([]);
    expect(tally.kept).toBeGreaterThan(mutations / 3);
    expect(tally.flowing).toBeGreaterThan(mutations / 2);
    expect(sideArena.bytes).toBeLessThanOrEqual(sideCeiling);
  });

  it('has frames that are decoded or found damaged', { timeout }, () => {
    const tally = { decoded: 0, damaged: 0 };
    for (let seed = firstSeed; seed < firstSeed + mutations; seed += 1) {
      const file = mutation(animations, seed);
      const random = new Random(seed);
      const inspected = inspectWebp(viewOf(file));
      if (inspected.kind !== 'image' || inspected.image.frames === 1) continue;
      for (const { picture } of webpFrames(viewOf(file))) {
        damage(file, picture, random);
        const [start, rows] = [process.cpuUsage().user, rowsOf(file, picture)];
        expect(process.cpuUsage().user - start, `seed ${seed}`).toBeLessThan(2e6);
        expect([0, picture.height], `seed ${seed}`).toContain(rows);
        tally[rows === 0 ? 'damaged' : 'decoded'] += 1;
      }
    }
    expect(traps).toEqual([]);
    expect(tally.decoded).toBeGreaterThan(mutations / 2);
    expect(tally.damaged).toBeGreaterThan(mutations / 20);
  });

  it('leaves no memory behind', async () => {
    const before = await aliveBytes();
    for (let seed = firstSeed; seed < firstSeed + 30; seed += 1) {
      for (const options of [lossless, ...others]) answer(mutation(originals, seed), options);
    }
    const held = (await aliveBytes()) - before;
    expect(held).toBeLessThan(1_000_000);
  });
});

describe('a trap in the kernel', () => {
  it('would be noticed here', () => {
    const outside = 2 ** 30;
    const work = runWebpKernel(Uint8Array.of(), function* (kernel) {
      kernel.setAlpha(outside, 64, outside);
    });
    expect(() => runAtOnce(work)).toThrow('gave up');
    expect(traps).toEqual([expect.stringContaining('setAlpha')]);
  });
});

function mutation(files: readonly File[], seed: number): File {
  return mutatedWebp(files[seed % files.length] ?? new Uint8Array(), new Random(seed));
}

/** Another one for the same original, when it comes again. */
function inTurn(options: readonly Partial<OptimizeOptions>[], seed: number) {
  return options[(seed + Math.floor(seed / originals.length)) % options.length] ?? {};
}

/** What a request would be answered with, null if it is refused, and the arena that was predicted. */
function answer(
  file: File,
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
  return {
    result: outcome.kind === 'result' ? outcome : null,
    predicted: Math.max(...planned.candidates.map(({ peak }) => peak.arena)),
    isAnimated: planned.kind === 'animated',
  };
}

interface Outcome {
  readonly way: Conversion;
  /** That there is a file, or why there is none. */
  readonly words: string;
  /** The file; empty where there is none. */
  readonly made: Buffer;
}

/** What a conversion comes to on each way that there is. */
function outcomesOnAllWays(file: File, options: Partial<OptimizeOptions>): readonly Outcome[] {
  const source = readSource(file);
  if (source.kind !== 'source' || source.image.frames > 1) return [];
  const wanted = { ...defaultOptions, ...options };
  // too large for this machine, or not to be had at all
  if (plan(source, wanted).kind === 'refused') return [];
  const type = wanted.format === 'jpeg' ? 'jpeg' : 'png';
  const candidates = candidatesFor(type, source, wanted);
  if ('kind' in candidates) return [];
  const candidate = candidates.find((one): one is EncodeCandidate => one.kind === 'encode');
  if (!candidate) return [];
  const appearance = { icc: candidate.icc, metadata: noMetadata };
  const encoding = { file, source, candidate, appearance, makeWay: null };
  return pickedOf([...conversionsOf(candidate, source)]).map((way) => {
    const pixels = new PreparedPixels(file, source);
    const result = runAtOnce(encode(encoding, [way], pixels, new SpareCpu(maxCpuMs)));
    pixels.end();
    const isMade = result.kind === 'finished';
    const words = isMade ? result.kind : JSON.stringify(result);
    return { way, words, made: Buffer.from(isMade ? result.bytes : []) };
  });
}

/** A writer aside keeps fewer candidates of small pictures: other bytes, the same picture. */
async function isSame(one: Buffer, other: Buffer, way: Conversion): Promise<boolean> {
  const isAside = way.kind === 'flowing' && way.reader === 'arena';
  if (!isAside || one.equals(other)) return one.equals(other);
  const [seen, expected] = [await shown(one), await shown(other)];
  return seen !== null && expected !== null && seen.equals(expected);
}

/** Of all bands the fewest and some. */
function pickedOf(ways: readonly Conversion[]): readonly Conversion[] {
  return ways.filter((way) => way.kind === 'kept' || [1, 3].includes(way.bands));
}

function nameOf(way: Conversion): string {
  return way.kind === 'kept' ? 'kept' : `reader in ${way.reader}, ${way.bands} bands`;
}

/** Changes bits of the coded colors, or of the alpha, in half of all cases. */
function damage(file: File, { color, alpha }: WebpPicture, random: Random): void {
  const { offset, length } = chosen([color.range, alpha ?? color.range], random) ?? color.range;
  if (random.unit() < 0.5) return;
  file.set(withFlippedBits(file.subarray(offset, offset + length), random), offset);
}

/** How many rows of a picture can be read: all of them, or 0 where it is found damaged. */
function rowsOf(file: File, picture: WebpPicture): number {
  let rows = 0;
  sideArena.reserve(Math.min(sideCeiling, webpRowBytes(picture)));
  try {
    const count = (source: RowSource) => forEachRowOf(source, () => rows++);
    runAtOnce(openWebpRows(file, picture, sideArena, count));
    return rows;
  } catch (error) {
    if (error instanceof CodecError) return 0;
    throw error;
  }
}

/**
 * Upright, as libwebp and other decoders see it; null if they do not.
 * @param isOpaque colors alone count
 */
async function shown(file: Uint8Array, isOpaque = false): Promise<Buffer | null> {
  try {
    const upright = sharp(file, { failOn: 'error', ignoreIcc: true }).autoOrient();
    const colors = upright.toColourspace('srgb');
    return await (isOpaque ? colors.removeAlpha() : colors.ensureAlpha()).raw().toBuffer();
  } catch {
    return null;
  }
}

/** Where no header says so, other decoders show no alpha, whatever the data hold. */
async function isSeenOpaque(file: File): Promise<boolean> {
  const seen = await sharp(file)
    .metadata()
    .catch(() => null);
  return seen?.hasAlpha === false;
}

/** Of buffers, once all that can be collected has been. */
async function aliveBytes(): Promise<number> {
  await mostHeld(() => {});
  await mostHeld(() => {});
  return process.memoryUsage().arrayBuffers;
}
