import { beforeAll, describe, expect, it } from 'vitest';
import { ImageError } from '../../../../../src/image/engine.ts';
import type { Quality } from '../../../../../src/image/formats/inspection.ts';
import { typicalHuffmanTables } from '../../../../../src/image/formats/jpeg/huffman-tables.ts';
import { inspect } from '../../../../../src/image/formats/registry.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { answerTo } from '../../../../support/engine.ts';
import { readJpegRows } from '../../../../support/rows.ts';
import { jpegInspection } from './inspected.ts';
import { made, progression, samplings } from './made-jpegs.ts';
import { recoded, samples } from './recoding.ts';

const factors = samplings['4:2:0'];
const [width, height] = [83, 57];
const plain = made(width, height, factors, { jfif: true });
const separate = made(width, height, factors, { jfif: true, scans: 'separate' });
const progressive = made(width, height, factors, { jfif: true, scans: progression(3) });

/** Two codes of one bit, of which the second is of ones alone: no table may have that (ITU-T T.81 annex C). */
const impossibleTable = segment(0xc4, 0x13, 2, ...new Array(15).fill(0), 1, 2);

beforeAll(() => arena.reserve(24 * 2 ** 20));

describe('a JPEG that is decoded like any other', () => {
  it.each<[string, Uint8Array, Uint8Array]>([
    ['with garbage between segments', inserted(plain, 0xdb, [1, 0, 0xff, 0, 7]), plain],
    ['with fill bytes between segments', inserted(plain, 0xc4, new Array(300).fill(0xff)), plain],
    ['with fill bytes behind its data', inserted(plain, 0xd9, new Array(90_000).fill(0xff)), plain],
    ['with bytes behind its end', joined(plain, separate), plain],
    ['without an end marker', plain.subarray(0, -2), plain],
    ['without the end of several scans', separate.subarray(0, -2), separate],
    ['with an impossible table that nothing uses', inserted(plain, 0xda, impossibleTable), plain],
    ['with a table that is replaced before it is used', inserted(plain, 0xc4, oneCode(0)), plain],
    ['with an end and a scan inside a comment', inserted(separate, 0xda, comment(), 2), separate],
    ['with an impossible table named where none is used', namingTables(progressive), progressive],
    ['with the scan of another picture behind it', withSecondScan(), plain],
    ['with a band in a sequential scan', withBand(plain), plain],
  ])('%s', async (_name, file, same) => {
    const pixels = rows(same);
    expect(rows(file).equals(pixels)).toBe(true);
    expect(await samples(recoded(file))).toEqual(await samples(same));
  });

  it('without Huffman tables', async () => {
    const [dc, ac] = [typicalHuffmanTables.dc[0], typicalHuffmanTables.ac[0]];
    if (!dc || !ac) throw new Error('no tables');
    const content = { jfif: true, huffmanTables: { dc, ac } };
    // the tables for chroma are others: one component has all that is coded
    const whole = made(width, height, samplings.grey, content);
    const file = made(width, height, samplings.grey, { ...content, withoutHuffmanTables: true });
    expect(file.length).toBeLessThan(whole.length - 100);
    expect(rows(file).equals(rows(whole))).toBe(true);
    expect(await samples(recoded(file))).toEqual(await samples(whole));
  });

  it('with steps that change once the scan has begun that they belong to', async () => {
    const coarse = segment(0xdb, 0, ...new Array(64).fill(200));
    const file = inserted(separate, 0xda, coarse, 2);
    expect(rows(file).equals(rows(separate))).toBe(true);
    expect(await samples(recoded(file))).toEqual(await samples(file));
    const earlier = inserted(separate, 0xda, coarse, 1);
    expect(rows(earlier).equals(rows(separate))).toBe(false);
  });

  it('with steps above 255, and DC far beyond ±2047', async () => {
    const tables = [new Uint16Array(64).fill(300)];
    const components = [{}];
    const coefficients = (_c: number, bx: number) => [2000 * Math.min(bx, 7 - bx), 3];
    const steps = made(60, 60, samplings.grey, { tables, components, coefficients });
    expect(await samples(recoded(steps))).toEqual(await samples(steps));
  });
});

describe('a JPEG that is given back as it came', () => {
  const dense = Array.from({ length: 64 }, (_, k) => (k === 0 ? 100 : 3));
  const wide = made(64, 64, factors, { coefficients: () => [9, 1500] });
  const scans = progression(3).slice(0, 1);
  const unfinished = made(64, 64, factors, { coefficients: () => dense, scans });

  it.each<[string, Uint8Array<ArrayBuffer>, Quality]>([
    ['as its coefficients have no code', wide, 'lossless'],
    ['as decoders fill in what its scans leave out', unfinished, 'lossless'],
    ['as decoders would not fill it in any more', unfinished, 20],
  ])('%s', (_name, file, quality) => {
    expect(answerTo(file, { quality })).toMatchObject({ quality: 'original', bytes: file });
  });

  it('unless what its scans have is damaged', () => {
    const cut = joined(unfinished.subarray(0, -20), unfinished.subarray(-2));
    expect(answerTo(cut, { quality: 'lossless' })).toBeInstanceOf(ImageError);
  });
});

describe('the scans of a JPEG', () => {
  it('are counted past what looks like an end inside a segment', () => {
    const scans = Array.from({ length: 501 }, () => ({
      components: [0],
      ss: 1,
      se: 63,
      ah: 0,
      al: 0,
    }));
    const file = made(8, 8, samplings.grey, { scans });
    expect(inspect(file).kind).toBe('broken');
    expect(inspect(inserted(file, 0xda, comment(), 2)).kind).toBe('broken');
  });
});

function rows(file: Uint8Array): Buffer {
  const all: Uint8Array[] = [];
  readJpegRows(file, jpegInspection(file), 0, (row) => all.push(row.slice()));
  return Buffer.concat(all);
}

function segment(code: number, ...content: number[]): number[] {
  return [0xff, code, (content.length + 2) >> 8, (content.length + 2) & 255, ...content];
}

/** Bytes that end a picture and begin a scan, where they do neither. */
function comment(): number[] {
  return segment(0xfe, 0xff, 0xd9, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0);
}

/** A table of one code, for a slot that another table takes before it is used. */
function oneCode(slot: number): number[] {
  return segment(0xc4, slot, 1, ...new Array(15).fill(0), 5);
}

/** Position of a marker, which no other bytes of these files look like. */
function positionOf(file: Uint8Array, code: number, which = 1): number {
  let at = Buffer.from(file).indexOf(Buffer.of(0xff, code));
  for (; which > 1; which -= 1) at = Buffer.from(file).indexOf(Buffer.of(0xff, code), at + 1);
  return at;
}

function inserted(file: Uint8Array, code: number, bytes: number[], which = 1) {
  const at = positionOf(file, code, which);
  return joined(file.subarray(0, at), Uint8Array.from(bytes), file.subarray(at));
}

function joined(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat(parts));
}

/** Of the first scan with AC coefficients the slot of its DC table, of the refinement of DC both. */
function namingTables(file: Uint8Array): Uint8Array {
  const result = file.slice();
  result[positionOf(file, 0xda, 2) + 6] = 0x90;
  result[positionOf(file, 0xda, 7) + 6] = 0x77;
  return result;
}

function withSecondScan(): Uint8Array {
  const other = made(width, height, factors, { coefficients: () => [50] });
  return joined(plain.subarray(0, -2), other.subarray(positionOf(other, 0xda)));
}

/** What a baseline scan has to say of bands, said wrongly. */
function withBand(file: Uint8Array): Uint8Array {
  const result = file.slice();
  result.set([1, 5, 0x21], positionOf(file, 0xda) + 11);
  return result;
}
