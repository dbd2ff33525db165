import { describe, expect, it } from 'vitest';
import { joinBytes } from '../../../../../src/image/container/assemble.ts';
import { webpParts } from '../../../../../src/image/formats/webp/coded-webp.ts';
import { readWebpMetadata } from '../../../../../src/image/formats/webp/rewrap.ts';
import { noMetadata } from '../../../../../src/image/metadata/metadata.ts';
import { Random } from '../../../../support/random.ts';
import { noise } from './kernel/made-pictures.ts';
import { kept } from './lossy-coding.ts';
import { inspection } from './reading.ts';

const random = new Random(4);
const bytes = (length: number) => Uint8Array.from({ length }, () => random.word());

function picture(width: number, height: number) {
  const { frame } = kept(noise(width, height, random), { quality: 20 });
  return {
    ...{ width, height, hasAlpha: false },
    chunks: [{ type: 'VP8 ', parts: [frame.subarray(0, 10), frame.subarray(10)] }],
  } as const;
}

describe('a WebP around a coded picture', () => {
  it('is the simple one where nothing asks for more', () => {
    for (const width of [1, 2, 30, 31]) {
      const coded = picture(width, 20);
      const file = joinBytes(...webpParts({ icc: null, metadata: noMetadata }, coded));
      const { offset, length } = inspection(file).picture.color.range;
      expect(offset).toBe(20);
      expect(joinBytes(...coded.chunks[0].parts)).toEqual(file.slice(20, 20 + length));
      expect(file.length).toBe(20 + length + (length % 2));
    }
  });

  it.each([
    [1, 1],
    [255, 256],
    [257, 255],
    [16_383, 3],
    [3, 16_383],
  ])('carries profile, EXIF and XMP: %i × %i', (width, height) => {
    const icc = bytes(301);
    const exif = bytes(77);
    // what a TIFF begins with
    exif.set([0x4d, 0x4d, 0, 42, 0, 0, 0, 8]);
    const xmp = bytes(1000);
    const coded = picture(width, height);
    const all = { exif, xmp, iptc: bytes(20) };
    const file = joinBytes(...webpParts({ icc, metadata: all }, coded));
    const image = inspection(file);
    expect(image).toMatchObject({ width, height, hasAlpha: false, frames: 1 });
    const [range] = image.icc;
    expect(file.slice(range?.offset, (range?.offset ?? 0) + (range?.length ?? 0))).toEqual(icc);
    expect(readWebpMetadata(file)).toEqual({ exif, xmp, iptc: null });
    expect(file.length % 2).toBe(0);
    expect(new DataView(file.buffer).getUint32(4, true)).toBe(file.length - 8);
  });

  it('says which blocks it has', () => {
    const coded = picture(5, 5);
    const flags = (exif: Uint8Array | null, xmp: Uint8Array | null, icc: Uint8Array | null) =>
      joinBytes(...webpParts({ icc, metadata: { exif, xmp, iptc: null } }, coded))[20];
    expect([
      flags(bytes(3), null, null),
      flags(null, bytes(3), null),
      flags(null, null, bytes(3)),
    ]).toEqual([0x08, 0x04, 0x20]);
  });

  it('holds no part of the file that its blocks came from', () => {
    const exif = bytes(8);
    const icc = bytes(9);
    const metadata = { exif, xmp: bytes(10), iptc: null };
    const file = [icc, exif, metadata.xmp].map(({ buffer }) => buffer);
    for (const part of webpParts({ icc, metadata }, picture(5, 5))) {
      expect(file).not.toContain(part.buffer);
    }
  });
});
