import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { carriedMetadata } from '../../../../src/image/metadata/carried.ts';
import { noMetadata } from '../../../../src/image/metadata/metadata.ts';
import { carriedExif, dataset, packet, upright } from './carried-blocks.ts';
import { readTiff, short, tiff } from './tiff.ts';

const source = {
  exif: tiff({ ifd0: { 274: short(6), 315: 'Ada' }, gps: { 1: 'N' } }),
  xmp: packet('tiff:Orientation="6" photoshop:Credit="Ada"'),
  iptc: dataset(2, 80, 'Ada'),
};

function square() {
  return sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } }).jpeg();
}

/** The EXIF block that libvips writes. */
async function writtenExif(): Promise<Uint8Array> {
  const file = await square()
    .withMetadata({ orientation: 6 })
    .withExifMerge({
      IFD0: { Artist: 'Ada Lovelace', Copyright: 'Ada, 2026', Make: 'Analytical' },
      IFD2: { ExposureTime: '1/60' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '47/1 22/1 36/1' },
    })
    .toBuffer();
  return Uint8Array.from((await sharp(file).metadata()).exif ?? []).subarray(6);
}

/** What libvips, with libexif, finds of the orientation in a block. */
async function orientationRead(exif: Uint8Array | null): Promise<number | undefined> {
  if (!exif) return undefined;
  const file = await square().toBuffer();
  const length = 2 + 6 + exif.length;
  const segment = Buffer.from([0xff, 0xe1, length >> 8, length & 255, ...Buffer.from('Exif\0\0')]);
  const tagged = Buffer.concat([file.subarray(0, 2), segment, exif, file.subarray(2)]);
  return (await sharp(tagged, { failOn: 'warning' }).metadata()).orientation;
}

describe('metadata that a result carries', () => {
  it('are none under none, whatever there is', () => {
    const broken = { exif: source.xmp, xmp: source.exif, iptc: source.exif };
    for (const blocks of [source, broken, noMetadata]) {
      expect(carriedMetadata(blocks, 'none', upright)).toEqual(noMetadata);
    }
  });

  it('are the smallest block with the orientation under none when it needs one', () => {
    const { exif, xmp, iptc } = carriedMetadata(source, 'none', { ...upright, orientation: 7 });
    expect([xmp, iptc]).toEqual([null, null]);
    expect(exif).toHaveLength(26);
    expect(
      [...readTiff(exif ?? new Uint8Array()).ifd0].map(([tag, { number }]) => [tag, number]),
    ).toEqual([[0x112, 7]]);
  });

  it('are nothing of nothing at every level', () => {
    for (const level of ['none', 'copyright', 'all'] as const) {
      expect(carriedMetadata(noMetadata, level, upright)).toEqual(noMetadata);
    }
  });

  it('are the source blocks themselves under all when they are still true', () => {
    const carried = carriedMetadata(source, 'all', { ...upright, orientation: 6 });
    expect(carried.exif).toBe(source.exif);
    expect(carried.xmp).toBe(source.xmp);
    expect(carried.iptc).toBe(source.iptc);
  });

  it('never change the blocks of the source', () => {
    const before = structuredClone(source);
    for (const level of ['copyright', 'all'] as const) {
      carriedMetadata(source, level, {
        orientation: 1,
        newSize: { width: 3, height: 2, scale: null },
        holdsIptc: false,
        noticesIn: 'exif',
      });
    }
    expect(source).toEqual(before);
  });

  it('can be blocks in the middle of a file', () => {
    const file = Uint8Array.of(1, 2, 3, ...source.exif, 4, 5);
    const exif = file.subarray(3, 3 + source.exif.length);
    for (const level of ['copyright', 'all'] as const) {
      expect(carriedExif(exif, level)).toEqual(carriedExif(source.exif, level));
    }
  });
});

describe('EXIF that another program wrote', () => {
  it('keeps only rights under copyright', async () => {
    const block = carriedExif(await writtenExif(), 'copyright', { orientation: 6 });
    const { ifd0, gps, exif } = readTiff(block ?? new Uint8Array());
    expect([...ifd0.keys()]).toEqual([0x112, 0x13b, 0x8298]);
    expect(ifd0.get(0x13b)?.bytes.toString()).toBe('Ada Lovelace\0');
    expect(ifd0.get(0x8298)?.bytes.toString()).toBe('Ada, 2026\0');
    expect([gps.size, exif.size]).toEqual([0, 0]);
    expect(await orientationRead(block)).toBe(6);
  });

  it('is read by another program with its new orientation under all', async () => {
    const exif = await writtenExif();
    expect(readTiff(exif).gps.size).toBeGreaterThan(0);
    for (const orientation of [1, 3, 8] as const) {
      const block = carriedExif(exif, 'all', { orientation });
      expect(readTiff(block ?? exif).gps).toEqual(readTiff(exif).gps);
      expect(await orientationRead(block)).toBe(orientation);
    }
  });

  it('is read by another program with an orientation that was put in', async () => {
    for (const order of ['II', 'MM'] as const) {
      const exif = tiff({ order, ifd0: { 271: 'Engines', 315: 'Ada' }, gps: { 1: 'N' } });
      expect(await orientationRead(carriedExif(exif, 'all', { orientation: 5 }))).toBe(5);
      expect(await orientationRead(carriedExif(exif, 'copyright', { orientation: 7 }))).toBe(7);
      expect(await orientationRead(carriedExif(exif, 'none', { orientation: 2 }))).toBe(2);
    }
  });
});
