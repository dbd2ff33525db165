import { describe, expect, it } from 'vitest';
import { carriedExif, utf8 } from './carried-blocks.ts';
import { readTiff, short, tiff, undefinedBytes } from './tiff.ts';

const makerNote = undefinedBytes(Uint8Array.from({ length: 300 }, (_, i) => i & 255));

function photo(order: 'II' | 'MM', texts: Record<number, string>): Uint8Array {
  return tiff({
    order,
    ifd0: { 271: 'Analytical Engines', 274: short(6, order), ...texts },
    exif: { 37500: makerNote },
    gps: { 1: 'N' },
    ifd1: { 259: short(6, order), 315: 'Thumbnail artist' },
    thumbnail: new Uint8Array(500).fill(0xaa),
  });
}

/** Tag to text of all that a block says, which must be readable to its last entry. */
function texts(block: Uint8Array | null): Record<number, string> {
  if (!block) return {};
  const { ifd0, exif, gps, ifd1 } = readTiff(block);
  expect([exif.size, gps.size, ifd1]).toEqual([0, 0, null]);
  return Object.fromEntries([...ifd0].map(([tag, { bytes }]) => [tag, bytes.toString()]));
}

describe('EXIF under copyright', () => {
  it.each(['II', 'MM'] as const)('keeps artist and copyright of a %s block alone', (order) => {
    const exif = photo(order, { 315: 'Ada Lovelace', 33432: '© Ada' });
    const block = carriedExif(exif, 'copyright');
    expect(texts(block)).toEqual({ 315: 'Ada Lovelace\0', 33432: '© Ada\0' });
    // header, two entries, and 13 and 7 bytes on even offsets
    expect(block).toHaveLength(8 + 2 + 2 * 12 + 4 + 14 + 8);
  });

  it('says the orientation too when the result is not upright', () => {
    const exif = photo('II', { 33432: 'Ada' });
    const block = carriedExif(exif, 'copyright', { orientation: 6 });
    if (!block) throw new Error('no block');
    const { ifd0 } = readTiff(block);
    expect([...ifd0.keys()]).toEqual([0x112, 0x8298]);
    expect(ifd0.get(0x112)).toMatchObject({ type: 3, number: 6 });
    expect(ifd0.get(0x8298)?.bytes.toString()).toBe('Ada\0');
  });

  it('keeps photographer and editor apart', () => {
    for (const copyright of ['Ada\0Charles', ' \0Charles']) {
      const block = carriedExif(photo('MM', { 33432: copyright }), 'copyright');
      expect(texts(block)).toEqual({ 33432: `${copyright}\0` });
    }
  });

  it('keeps Exif 3 UTF-8 as such', () => {
    const exif = tiff({ ifd0: { 315: { type: 129, bytes: utf8('Áda\0') } } });
    const block = carriedExif(exif, 'copyright');
    if (!block) throw new Error('no block');
    expect(readTiff(block).ifd0.get(0x13b)).toMatchObject({
      type: 129,
      bytes: Buffer.from('Áda\0'),
    });
  });

  it('ends a value that has padding or no end with one NUL', () => {
    const padded = tiff({ ifd0: { 315: `Ada${'\0'.repeat(60)}` } });
    const endless = tiff({ ifd0: { 315: { type: 2, bytes: utf8('Ada') } } });
    for (const exif of [padded, endless]) {
      expect(texts(carriedExif(exif, 'copyright'))).toEqual({ 315: 'Ada\0' });
    }
  });

  it('is nothing when the fields are blank, missing, of another type or longer than a notice', () => {
    const sources = [
      { 315: '               ', 33432: '' },
      { 271: 'Engine' },
      { 315: 7 },
      { 33432: 'a'.repeat(8192) },
    ];
    for (const ifd0 of sources) {
      const exif = tiff({ ifd0 });
      expect(carriedExif(exif, 'copyright')).toBeNull();
      expect(carriedExif(exif, 'copyright', { orientation: 3 })).toHaveLength(26);
    }
    expect(carriedExif(tiff({ ifd0: { 33432: 'a'.repeat(8190) } }), 'copyright')).not.toBeNull();
  });

  it('is nothing but the orientation when the block is damaged', () => {
    const good = photo('II', { 315: 'Ada' });
    for (const exif of [
      good.subarray(0, 30),
      utf8('II'),
      utf8('no block at all'),
      new Uint8Array(),
    ]) {
      expect(carriedExif(exif, 'copyright')).toBeNull();
      const block = carriedExif(exif, 'copyright', { orientation: 8 });
      expect(block && readTiff(block).ifd0.get(0x112)?.number).toBe(8);
    }
  });
});
