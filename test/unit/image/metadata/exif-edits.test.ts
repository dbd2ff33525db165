import { describe, expect, it } from 'vitest';
import { carriedExif, utf8 } from './carried-blocks.ts';
import { readTiff, short, type Tiff, tiff, undefinedBytes } from './tiff.ts';

const makerNote = Uint8Array.from({ length: 300 }, (_, i) => (i * 7) % 160);
const thumbnail = new Uint8Array(501).fill(0xaa);
const orders = ['II', 'MM'] as const;
const newSize = { width: 320, height: 70_000, scale: null };

function photo(order: 'II' | 'MM', changes: Partial<Tiff> = {}): Uint8Array {
  return tiff({
    order,
    ifd0: { 271: 'Analytical Engines', 274: short(6, order), 306: '2026:01:01 00:00:00' },
    exif: { 37500: undefinedBytes(makerNote), 40962: 4000, 40963: short(3000, order) },
    gps: { 1: 'N', 2: undefinedBytes(new Uint8Array(24)) },
    ifd1: { 259: short(6, order), 274: short(6, order) },
    thumbnail,
    ...changes,
  });
}

function read(block: Uint8Array | null) {
  if (!block) throw new Error('no block');
  return readTiff(block);
}

/** Offsets at which two blocks differ. */
function differences(a: Uint8Array, b: Uint8Array | null): number[] {
  return [...a.keys()].filter((at) => a[at] !== b?.[at]);
}

describe.each(orders)('EXIF in %s order under all', (order) => {
  const without = (tag: number) => {
    const ifd0 = { 271: 'Engines', 274: short(6, order), 306: 'Monday' };
    return Object.fromEntries(Object.entries(ifd0).filter(([name]) => Number(name) !== tag));
  };

  it('is the very same block when nothing changes', () => {
    const exif = photo(order);
    expect(carriedExif(exif, 'all', { orientation: 6 })).toBe(exif);
    const untold = photo(order, { ifd0: without(0x112) });
    expect(carriedExif(untold, 'all')).toBe(untold);
  });

  it('gets the orientation in its place and leaves the thumbnail and its own alone', () => {
    const exif = photo(order);
    const before = exif.slice();
    const block = carriedExif(exif, 'all', { orientation: 1 });
    expect(differences(exif, block)).toHaveLength(1);
    expect(exif).toEqual(before);
    const { ifd0, ifd1 } = read(block);
    expect(ifd0.get(0x112)).toMatchObject({ type: 3, number: 1 });
    expect(ifd1?.get(0x112)?.number).toBe(6);
  });

  it('gets an orientation of the right type where it had one that readers ignore', () => {
    const exif = photo(order, { ifd0: { 274: 6 } });
    const { ifd0 } = read(carriedExif(exif, 'all', { orientation: 6 }));
    expect(ifd0.get(0x112)).toMatchObject({ type: 3, number: 6 });
    expect(ifd0.get(0x112)?.bytes).toHaveLength(2);
  });

  it('gets an orientation where it had none, and nothing else moves', () => {
    const exif = photo(order, { ifd0: without(0x112) });
    const block = carriedExif(exif, 'all', { orientation: 8 });
    // the offset of the first directory in the header
    expect(differences(exif, block).every((at) => at >= 4 && at < 8)).toBe(true);
    expect(block?.length).toBeLessThan(exif.length + 100);
    const [before, after] = [read(exif), read(block)];
    expect([...after.ifd0.keys()]).toEqual([0x10f, 0x112, 0x132, 0x8769, 0x8825]);
    expect(after.ifd0.get(0x112)).toMatchObject({ type: 3, number: 8 });
    for (const [tag, entry] of before.ifd0) {
      expect(after.ifd0.get(tag)?.bytes).toEqual(entry.bytes);
    }
    expect([after.exif, after.gps, after.ifd1]).toEqual([before.exif, before.gps, before.ifd1]);
  });

  it('gets an orientation as first and as last of its directory', () => {
    for (const ifd0 of [{ 306: 'Monday' }, { 256: 640 }, {}]) {
      const block = carriedExif(tiff({ order, ifd0 }), 'all', { orientation: 3 });
      const tags = [...Object.keys(ifd0).map(Number), 0x112].sort((a, b) => a - b);
      expect([...read(block).ifd0.keys()]).toEqual(tags);
      expect(read(block).ifd0.get(0x112)?.number).toBe(3);
    }
  });

  it('says the new size, in a LONG where a SHORT is too small', () => {
    const ifd0 = { 256: short(4000, order), 257: 3000 };
    const exif = photo(order, { ifd0 });
    const after = read(carriedExif(exif, 'all', { newSize }));
    expect(after.ifd0.get(0x100)).toMatchObject({ type: 3, number: 320 });
    expect(after.ifd0.get(0x101)).toMatchObject({ type: 4, number: 70_000 });
    expect(after.exif.get(0xa002)).toMatchObject({ type: 4, number: 320 });
    expect(after.exif.get(0xa003)).toMatchObject({ type: 4, number: 70_000 });
  });

  it('says sRGB where inks have become that, if it said a colour space', () => {
    const uncalibrated = short(0xffff, order);
    const exif = photo(order, { exif: { 40961: uncalibrated, 40962: 4000 } });
    const after = read(carriedExif(exif, 'all', { orientation: 6, isNowSrgb: true }));
    expect(after.exif.get(0xa001)).toMatchObject({ type: 3, number: 1 });
    expect(carriedExif(exif, 'all', { orientation: 6 })).toBe(exif);
    const untold = photo(order);
    expect(carriedExif(untold, 'all', { orientation: 6, isNowSrgb: true })).toBe(untold);
  });

  it('says no size where it said none', () => {
    const exif = photo(order, { exif: { 37500: undefinedBytes(makerNote) } });
    const after = read(carriedExif(exif, 'all', { newSize }));
    expect([...after.exif.keys()]).toEqual([0x927c]);
    expect([after.ifd0.has(0x100), after.ifd0.has(0x101)]).toEqual([false, false]);
  });

  it('loses a thumbnail of the old picture at its end, and keeps the maker note in its place', () => {
    const exif = photo(order);
    const block = carriedExif(exif, 'all', { orientation: 6, newSize });
    expect(block).toHaveLength(exif.length - thumbnail.length);
    const [before, after] = [read(exif), read(block)];
    expect(after.ifd1).toBeNull();
    expect(after.exif.get(0x927c)).toEqual(before.exif.get(0x927c));
    expect(after.gps).toEqual(before.gps);
  });

  it('loses one that something follows by having it zeroed', () => {
    const exif = Uint8Array.of(...photo(order), ...utf8('end'));
    const block = carriedExif(exif, 'all', { newSize });
    expect(block).toHaveLength(exif.length);
    expect(block?.includes(0xaa)).toBe(false);
    expect(block?.subarray(-3)).toEqual(utf8('end'));
    expect(read(block).ifd1).toBeNull();
  });

  it('loses an uncompressed one', () => {
    const ifd1 = { 259: short(1, order), 273: 0, 279: 40 };
    const exif = photo(order, { ifd1, thumbnail: new Uint8Array(0) });
    const strip = Uint8Array.of(...exif, ...new Uint8Array(40).fill(0xbb));
    const offset = read(exif).ifd1?.get(0x111)?.offset ?? 0;
    const view = new DataView(strip.buffer);
    view.setUint32(offset, exif.length, order === 'II');
    const block = carriedExif(strip, 'all', { newSize });
    expect(block).toHaveLength(exif.length);
  });

  it('keeps its own data when the thumbnail claims to be there', () => {
    const exif = photo(order);
    const at = read(exif).exif.get(0x927c)?.offset ?? 0;
    const jpegOffset = read(exif).ifd1?.get(0x201)?.offset ?? 0;
    new DataView(exif.buffer).setUint32(jpegOffset, at + 10, order === 'II');
    const block = carriedExif(exif, 'all', { newSize });
    expect(block).toHaveLength(exif.length);
    expect(read(block).exif.get(0x927c)?.bytes).toEqual(Buffer.from(makerNote));
    expect(read(block).ifd1).toBeNull();
  });

  it('can lose a thumbnail and get an orientation at once', () => {
    const exif = photo(order, { ifd0: without(0x112) });
    const block = carriedExif(exif, 'all', { orientation: 5, newSize });
    const after = read(block);
    expect(after.ifd0.get(0x112)?.number).toBe(5);
    expect(after.ifd0.get(0x10f)?.bytes.toString()).toBe('Engines\0');
    expect(after.ifd1).toBeNull();
    expect(block?.includes(0xaa)).toBe(false);
  });
});

describe('damaged EXIF under all', () => {
  it('goes, and only an orientation that is needed remains', () => {
    const cut = photo('II').subarray(0, 40);
    expect(carriedExif(cut, 'all')).toBeNull();
    const block = carriedExif(cut, 'all', { orientation: 6 });
    expect([...read(block).ifd0.keys()]).toEqual([0x112]);
    expect(read(carriedExif(null, 'all', { orientation: 6 })).ifd0.get(0x112)?.number).toBe(6);
  });

  it('ends where directories go round in a circle', () => {
    const exif = photo('II');
    const ifd0 = 8;
    const nextAt = ifd0 + 2 + new DataView(exif.buffer).getUint16(ifd0, true) * 12;
    new DataView(exif.buffer).setUint32(nextAt, ifd0, true);
    const block = carriedExif(exif, 'all', { newSize });
    expect(read(block).ifd1).toBeNull();
    expect(read(block).ifd0.get(0x10f)?.bytes.toString()).toBe('Analytical Engines\0');
  });
});
