import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { carriedMetadata } from '../../../src/image/metadata/carried.ts';
import { corpusSamples, hasCorpus } from '../../unit/image/formats/samples.ts';
import { carriedExif, carriedXmp, upright } from '../../unit/image/metadata/carried-blocks.ts';
import { type Read, readTiff } from '../../unit/image/metadata/tiff.ts';

const makerNote = 0x927c;
const edited = [0x112, 0x100, 0x101, 0xa002, 0xa003];
const newSize = { width: 320, height: 240, scale: null };

/** Entries by tag without those that are edited, offsets and all. */
function others(directory: Map<number, Read> | null) {
  return [...(directory ?? [])].filter(([tag]) => !edited.includes(tag));
}

describe.skipIf(!hasCorpus)('the metadata of photos', async () => {
  const photos = corpusSamples().filter(({ name }) => /^(photos|orientation)\//.test(name));
  const blocks = await Promise.all(
    photos.map(async ({ name, bytes }) => {
      const { exif, xmp, iptc } = await sharp(bytes).metadata();
      return { name, exif: exif && Uint8Array.from(exif).subarray(6), xmp, iptc };
    }),
  );
  const tagged = blocks.flatMap(({ name, exif }) => (exif ? [{ name, exif }] : []));

  it('are there in numbers', () => {
    expect(tagged.length).toBeGreaterThan(10);
    expect(tagged.some(({ exif }) => readTiff(exif).exif.has(makerNote))).toBe(true);
    expect(tagged.some(({ exif }) => readTiff(exif).gps.size > 0)).toBe(true);
  });

  it.each(tagged)('$name: nothing is left under none', ({ exif }) => {
    expect(carriedExif(exif, 'none')).toBeNull();
    const block = carriedExif(exif, 'none', { orientation: 6 });
    expect([...readTiff(block ?? exif).ifd0.keys()]).toEqual([0x112]);
  });

  it.each(tagged)('$name: only rights are left under copyright', ({ exif }) => {
    const block = carriedExif(exif, 'copyright', { orientation: 6 });
    expect(block?.length).toBeLessThanOrEqual(1024);
    const { ifd0, gps, ifd1 } = readTiff(block ?? exif);
    expect([...ifd0.keys()].filter((tag) => ![0x112, 0x13b, 0x8298].includes(tag))).toEqual([]);
    expect([gps.size, ifd1]).toEqual([0, null]);
  });

  it.each(tagged)('$name: all is left in its place under all', ({ exif }) => {
    const before = readTiff(exif);
    const orientation = asOrientation(before.ifd0.get(0x112)?.number ?? 1);
    if (orientation) expect(carriedExif(exif, 'all', { orientation })).toBe(exif);
    else expect(readTiff(carriedExif(exif, 'all') ?? exif).ifd0.get(0x112)?.number).toBe(1);

    const block = carriedExif(exif, 'all', { orientation: 4, newSize }) ?? new Uint8Array();
    const after = readTiff(block);
    expect(block.length).toBeLessThanOrEqual(exif.length + 1024);
    expect(after.ifd0.get(0x112)).toMatchObject({ type: 3, number: 4 });
    const valuesOf = (directory: Map<number, Read>) =>
      others(directory).map(([tag, { type, bytes }]) => [tag, type, bytes]);
    expect(valuesOf(after.ifd0)).toEqual(valuesOf(before.ifd0));
    expect(others(after.exif)).toEqual(others(before.exif));
    expect(after.exif.get(makerNote)).toEqual(before.exif.get(makerNote));
    expect(after.gps).toEqual(before.gps);
    expect(after.ifd1).toBeNull();
    if (before.exif.has(0xa002)) expect(after.exif.get(0xa002)?.number).toBe(320);
    if (before.exif.has(0xa003)) expect(after.exif.get(0xa003)?.number).toBe(240);
  });

  it.each(blocks)('$name: XMP and IPTC get through every level', ({ xmp = null, iptc = null }) => {
    for (const level of ['copyright', 'all'] as const) {
      const carried = carriedMetadata({ exif: null, xmp, iptc }, level, { ...upright, newSize });
      expect(carried.xmp?.length ?? 0).toBeLessThanOrEqual((xmp?.length ?? 0) + 1024);
      expect(carried.iptc?.length ?? 0).toBeLessThanOrEqual(iptc?.length ?? 0);
    }
    if (xmp && carriedXmp(xmp, 'copyright')) expect(xmp.toString()).toMatch(/rights|creator/i);
  });
});

/** Undefined for 0 and the like, which some cameras write. */
function asOrientation(value: number) {
  return ([1, 2, 3, 4, 5, 6, 7, 8] as const).find((known) => known === value);
}
