import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { chroma, colorSamplings, type Factors } from '../../../../../support/jpeg-maker/content.ts';
import { makeJpeg } from '../../../../../support/jpeg-maker/jpeg-maker.ts';
import {
  atOnce,
  begun,
  type CodingKernel,
  coded,
  histogram,
  keep,
  nonzero,
  putIntoPlanes,
  select,
  streaming,
} from './coding-stage.ts';
import { contentOf, emptyPicture, everyRow, randomPicture } from './made-pictures.ts';
import { giveCodes } from './scan-codes.ts';
import { scripts } from './scan-scripts.ts';
import { endOfImage, pictureHead, scanHead, writtenJpeg, writtenScan } from './written-jpeg.ts';

describe('coding', () => {
  const samplings = {
    grey: [[1, 1]],
    ...colorSamplings,
    'four components': [[2, 2], ...chroma, [2, 2]],
  } as const satisfies Record<string, Factors>;

  for (const [name, factors] of Object.entries(samplings)) {
    // Grey has no interleaving; 4:2:0 and four components have all of it.
    const tags = ['grey', '4:2:0', 'four components'].includes(name) ? [] : ['slow'];
    for (const [script, scansOf] of Object.entries(scripts)) {
      it(`writes ${name} as ${script}, out of kept tokens and out of planes`, {
        tags,
      }, async () => {
        const picture = randomPicture(131, 77, factors);
        const scans = scansOf(factors.length);
        const expected = await decoded(makeJpeg(contentOf(picture)));
        const kept = writtenJpeg(picture, scans, keep(begun(picture), picture));
        expect(expected.equals(await decoded(kept))).toBe(true);
        const fromPlanes = writtenJpeg(picture, scans, putIntoPlanes(begun(picture), picture));
        expect(fromPlanes.equals(kept)).toBe(true);
      });
    }

    it(`streams ${name}, interleaved and component by component`, async () => {
      const picture = randomPicture(131, 77, factors);
      const expected = await decoded(makeJpeg(contentOf(picture)));
      for (const scansOf of [scripts.sequential, scripts['separate sequential scans']]) {
        const kernel = begun(picture);
        expect(kernel.beginRowTokens()).toBe(1);
        const streamed = writtenJpeg(picture, scansOf(factors.length), kernel, streaming(picture));
        expect(expected.equals(await decoded(streamed))).toBe(true);
      }
    });
  }

  it('counts exactly the bits that it writes, and puts a zero behind every FF', () => {
    const picture = randomPicture(640, 480, samplings['4:2:0'], 12);
    const kernel = keep(begun(picture), picture);
    for (const scan of [...scripts.default(3), ...scripts.sequential(3)]) {
      const { data, bits } = writtenScan(kernel, scan);
      let stuffed = 0;
      for (const [at, byte] of data.entries()) {
        if (byte !== 0xff) continue;
        expect(data[at + 1]).toBe(0);
        stuffed += 1;
      }
      expect(data.length - stuffed).toBe(Math.ceil(bits / 8));
    }
  });

  it('splits runs of bands that end at 32767 blocks', { tags: 'slow' }, async () => {
    const picture = { ...emptyPicture(2048, 1040), block: () => new Int16Array(64) };
    const kernel = keep(begun(picture), picture);
    select(kernel, { components: [0], ss: 1, se: 63, ah: 0, al: 0 });
    atOnce(kernel, false);
    const counted = nonzero(histogram(kernel, 1, 0));
    // 33280 blocks: 32767, with 14 bits, and 513, with 9
    expect(counted).toEqual({ 224: 1, 144: 1 });
    expect(kernel.rawBits()).toBe(23);
    const samples = await decoded(writtenJpeg(picture, scripts.default(1), kernel));
    expect(samples.every((sample) => sample === 128)).toBe(true);
  });

  it('ends a run of bands before its correction bits are a thousand', async () => {
    const block = new Int16Array(64).map((_, k) => (k % 3 === 1 ? (k & 4) - 2 : 0));
    const picture = { ...emptyPicture(512, 256), block: () => block };
    const kernel = keep(begun(picture), picture);
    const bits = block.filter((value) => value !== 0).length;
    select(kernel, { components: [0], ss: 1, se: 63, ah: 1, al: 0 });
    atOnce(kernel, false);
    const runs = Object.values(nonzero(histogram(kernel, 1, 0))).reduce((sum, n) => sum + n, 0);
    expect(runs).toBeGreaterThanOrEqual((2048 * bits) / 1000);
    expect(runs).toBeLessThan((2048 * bits) / 800);
    expect(kernel.rawBits()).toBeGreaterThan(2048 * bits);
    const script = [
      { components: [0], ss: 0, se: 0, ah: 0, al: 0 },
      { components: [0], ss: 1, se: 63, ah: 0, al: 1 },
      { components: [0], ss: 1, se: 63, ah: 1, al: 0 },
    ];
    const expected = await decoded(makeJpeg(contentOf(picture)));
    expect(expected.equals(await decoded(writtenJpeg(picture, script, kernel)))).toBe(true);
  });

  it('counts every fourth row where it is asked to, and ends runs there', () => {
    const whole = randomPicture(80, 128, [[1, 1]]);
    const quarter = { ...whole, height: 32, block: everyRow(whole, 4) };
    const [ofWhole, ofQuarter] = [whole, quarter].map((picture) => keep(begun(picture), picture));
    for (const scan of [
      { components: [0], ss: 0, se: 63, ah: 0, al: 0 },
      { components: [0], ss: 0, se: 0, ah: 0, al: 1 },
    ]) {
      const counts = [ofWhole, ofQuarter].map((kernel, i) => {
        select(kernel as CodingKernel, scan);
        atOnce(kernel as CodingKernel, false, i === 0 ? 4 : 1);
        return [0, 1].map((kind) => nonzero(histogram(kernel as CodingKernel, kind, 0)));
      });
      expect(counts[0]).toEqual(counts[1]);
    }
    const empty = { ...emptyPicture(80, 128), block: () => new Int16Array(64) };
    const kernel = keep(begun(empty), empty);
    select(kernel, { components: [0], ss: 1, se: 63, ah: 0, al: 0 });
    atOnce(kernel, false, 4);
    // four rows of ten blocks
    expect(nonzero(histogram(kernel, 1, 0))).toEqual({ 48: 4 });
  });

  it('pads with the DC before, and without AC', () => {
    const block = new Int16Array(64);
    block[0] = 100;
    const picture = {
      ...randomPicture(8, 8, [
        [2, 2],
        [1, 1],
        [1, 1],
      ]),
      block: () => block,
    };
    const kernel = keep(begun(picture), picture);
    for (const c of [0, 1, 2]) kernel.setTableSlot(c, c, c);
    kernel.setScan(3, 0, 1, 2, 0, 0, 63, 0, 0);
    atOnce(kernel, false);
    expect(nonzero(histogram(kernel, 0, 0))).toEqual({ 7: 1, 0: 3 });
    expect(nonzero(histogram(kernel, 1, 0))).toEqual({ 0: 4 });
    expect(nonzero(histogram(kernel, 0, 1))).toEqual({ 7: 1 });
  });

  it('says which coefficients cannot be coded', () => {
    const failure = (k: number, values: readonly number[]) => {
      const block = (_: number, x: number) => new Int16Array(64).fill(values[x] ?? 0, k, k + 1);
      const picture = { ...emptyPicture(16, 8), block };
      const kernel = keep(begun(picture), picture);
      select(kernel, { components: [0], ss: 0, se: 63, ah: 0, al: 0 });
      atOnce(kernel, false);
      return kernel.codingFailure();
    };
    expect(failure(1, [1023, -1023])).toBe(0);
    expect(failure(63, [0, 1024])).toBe(1);
    expect(failure(8, [-1024, 0])).toBe(1);
    expect(failure(20, [-32768, 0])).toBe(1);
    expect(failure(0, [-1024, 1023])).toBe(0);
    expect(failure(0, [-1024, 1024])).toBe(2);
    expect(failure(0, [32767, -32768])).toBe(2);
  });

  it('refuses to write symbols without a code', () => {
    const picture = randomPicture(64, 64, [[1, 1]]);
    const kernel = keep(begun(picture), picture);
    select(kernel, { components: [0], ss: 0, se: 63, ah: 0, al: 0 });
    kernel.beginOutput(100_000);
    expect(atOnce(kernel, true)).toBe(false);
    expect(kernel.codingFailure()).toBe(3);
  });

  it('puts segments and scans one behind the other', () => {
    const picture = randomPicture(100, 100, [[1, 1]]);
    const kernel = keep(begun(picture), picture);
    const scan = { components: [0], ss: 0, se: 63, ah: 0, al: 0 };
    const { data, tables } = writtenScan(kernel, scan);
    expect(kernel.beginOutput(100_000)).toBe(1);
    const put = (bytes: Uint8Array) => {
      const to = kernel.reserveOutput(bytes.length);
      new Uint8Array(kernel.memory.buffer).set(bytes, to);
    };
    put(pictureHead(picture, [scan]));
    put(scanHead(scan, tables));
    expect(atOnce(kernel, true)).toBe(true);
    put(endOfImage);
    const result = Buffer.from(kernel.memory.buffer, kernel.outputAt(), kernel.outputLength());
    expect(result.equals(writtenJpeg(picture, [scan], keep(begun(picture), picture)))).toBe(true);
    expect(result.includes(data)).toBe(true);
  });

  it('stops where the result would have one byte too many', () => {
    const picture = randomPicture(256, 256, [[1, 1]]);
    const kernel = keep(begun(picture), picture);
    const scan = { components: [0], ss: 0, se: 63, ah: 0, al: 0 };
    const { length } = writtenScan(kernel, scan).data;
    expect(kernel.beginOutput(length)).toBe(1);
    expect(atOnce(kernel, true)).toBe(true);
    expect(kernel.reserveOutput(1)).toBe(0);
    expect(kernel.beginOutput(length - 1)).toBe(1);
    expect(atOnce(kernel, true)).toBe(false);
    expect(kernel.codingFailure()).toBe(0);
    expect(kernel.reserveOutput(0)).toBe(0);
  });

  it('stops where the memory ends, and keeps no rows that may not fit', () => {
    const picture = randomPicture(512, 512, [[1, 1]], 60);
    const kernel = keep(begun(picture), picture);
    select(kernel, { components: [0], ss: 0, se: 63, ah: 0, al: 0 });
    atOnce(kernel, false);
    giveCodes(kernel);
    kernel.allocate(kernel.room() - 20_000);
    expect(kernel.beginOutput(0xffff_ffff)).toBe(1);
    expect(atOnce(kernel, true)).toBe(false);
    expect(kernel.outputLength()).toBeGreaterThan(0);
    expect(kernel.keepRow(0, 0, kernel.blockRow(coded, 0, 0))).toBe(1);
    kernel.allocate(kernel.room() - 64 * 130 + 16);
    expect(kernel.keepRow(0, 1, kernel.blockRow(coded, 0, 0))).toBe(0);
  });

  it('gives back what tokens have taken, wiped', () => {
    const picture = randomPicture(64, 64, [[1, 1]]);
    const kernel = begun(picture);
    const before = kernel.taken();
    keep(kernel, picture);
    const after = kernel.taken();
    expect(after).toBeGreaterThan(before);
    kernel.dropTokens();
    expect(kernel.taken()).toBe(before);
    const bytes = new Uint8Array(kernel.memory.buffer, before, after - before);
    expect(bytes.every((byte) => byte === 0)).toBe(true);
  });
});

/** Samples of a file, of which libjpeg must not complain. */
function decoded(bytes: Uint8Array): Promise<Buffer> {
  return sharp(bytes, { failOn: 'warning' }).raw().toBuffer();
}
