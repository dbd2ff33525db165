import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { displayP3Profile, largeProfile } from '../../../../support/icc.ts';
import { decoded } from '../../../../support/pictures.ts';
import { blocks, largeBlock } from '../blocks.ts';
import { be16, bytes, exif, inspected } from '../byte-writing.ts';
import {
  metadataKinds,
  metadataOf,
  picture,
  profileOf,
  rewrapped,
  withMetadata,
} from '../pictures.ts';

const segment = (code: number, ...content: Parameters<typeof bytes>) => {
  const data = bytes(...content);
  return bytes(0xff, code, be16(data.length + 2), data);
};
const jfif = (thumbnailSide: number) =>
  segment(
    0xe0,
    'JFIF\0',
    [1, 2, 1, 0, 72, 0, 72, thumbnailSide, thumbnailSide],
    new Uint8Array(3 * thumbnailSide ** 2),
  );
const end = [0xff, 0xd9];

/** A JPEG without any application segment. */
const plain = async (progressive = false) =>
  rewrapped(await picture().jpeg({ progressive }).toBuffer());
/** The same file with something put right behind its start marker. */
const inserted = (file: Uint8Array, ...parts: Uint8Array[]) =>
  bytes(file.subarray(0, 2), ...parts, file.subarray(2));
const find = (file: Uint8Array, part: string | Uint8Array) => Buffer.from(file).indexOf(part);

describe('a rewrapped JPEG', () => {
  it.each([false, true])(
    'has lost all metadata and no pixel, progressive: %s',
    async (progressive) => {
      const file = await withMetadata(picture()).jpeg({ progressive }).toBuffer();
      const result = rewrapped(file);
      expect(await metadataKinds(file)).toEqual(['exif', 'icc', 'xmp']);
      expect(await metadataKinds(result)).toEqual([]);
      expect(await decoded(result)).toEqual(await decoded(file));
      expect(result.length).toBeLessThan(file.length);
    },
  );

  it('carries orientation and profile, in that order', async () => {
    const file = await picture().jpeg().toBuffer();
    const icc = displayP3Profile();
    const result = rewrapped(file, { icc, exif: exif(6, 'MM') });
    const metadata = await sharp(result).metadata();
    expect(metadata.orientation).toBe(6);
    expect(metadata.icc).toEqual(Buffer.from(icc));
    expect(find(result, 'Exif\0\0')).toBeLessThan(find(result, 'ICC_PROFILE'));
    // 48 bytes of EXIF, 18 before the profile.
    expect(result.length).toBe(rewrapped(file).length + 48 + 18 + icc.length);
    expect(await decoded(result)).toEqual(await decoded(file));
  });

  it('carries its blocks in the order of their segments', async () => {
    const file = inserted(await plain(), jfif(0));
    const result = rewrapped(file, { ...blocks, icc: displayP3Profile() });
    const signatures = ['JFIF', 'Exif', 'http://ns.adobe.com', 'Photoshop', 'ICC_PROFILE'];
    const places = signatures.map((signature) => find(result, signature));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBe(6);
    expect(result.subarray(places[1], (places[1] ?? 0) + 45)).toEqual(
      bytes('Exif\0\0', blocks.exif),
    );
    const { iptc } = blocks;
    const resource = bytes('8BIM', be16(0x0404), 0, 0, [0, 0, 0, iptc.length], iptc, 0);
    expect(find(result, bytes('Photoshop 3.0\0', resource))).toBe(places[3]);
    expect((await sharp(result).metadata()).iptc).toEqual(
      Buffer.from(bytes('Photoshop 3.0\0', resource)),
    );
  });

  it('leaves out a block that does not fit a segment, and only that', async () => {
    const file = await plain();
    const largest = {
      exif: largeBlock(65533 - 6, 'II*\0'),
      xmp: largeBlock(65533 - 29),
      iptc: largeBlock(65533 - 14 - 12 - 1),
    };
    const result = rewrapped(file, largest);
    expect(metadataOf(result)).toEqual(largest);
    expect(await decoded(result)).toEqual(await decoded(file));
    for (const kind of ['exif', 'xmp', 'iptc'] as const) {
      const tooLarge = { ...largest, [kind]: bytes(largest[kind], 0) };
      expect(metadataOf(rewrapped(file, tooLarge))).toEqual({ ...largest, [kind]: null });
    }
  });

  it('carries a profile larger than a segment', { tags: 'slow' }, async () => {
    const icc = largeProfile(150_000);
    const result = rewrapped(await plain(), { icc });
    expect(inspected('jpeg', result).icc.map(({ length }) => length)).toEqual([
      65519,
      65519,
      icc.length - 2 * 65519,
    ]);
    expect((await sharp(result).metadata()).icc).toEqual(Buffer.from(icc));
    expect(profileOf(result)).toEqual(icc);
  });

  it('cannot carry a profile larger than 255 segments', async () => {
    const icc = new Uint8Array(255 * 65519 + 1);
    const file = await plain();
    expect(() => rewrapped(file, { icc })).toThrow(
      expect.objectContaining({ name: 'ContainerError' }),
    );
  });

  it('keeps JFIF without its thumbnail, and never gains one', async () => {
    const naked = await plain();
    expect(find(naked, 'JFIF')).toBe(-1);
    expect(rewrapped(naked)).toEqual(naked);
    expect(rewrapped(inserted(naked, jfif(16)))).toEqual(inserted(naked, jfif(0)));
  });

  it('keeps the Adobe marker, so that CMYK stays CMYK', async () => {
    const file = await withMetadata(picture().toColourspace('cmyk'))
      .withIccProfile('cmyk')
      .jpeg()
      .toBuffer();
    const result = rewrapped(file, { icc: profileOf(file) });
    expect(inspected('jpeg', result).colorSpace).toBe(inspected('jpeg', file).colorSpace);
    expect(find(result, 'Adobe')).toBeGreaterThan(find(result, 'ICC_PROFILE'));
    expect(await decoded(result)).toEqual(await decoded(file));
  });

  it('has lost what stood between scans, but no scan', async () => {
    const file = await plain(true);
    const lastScan = Buffer.from(file).lastIndexOf(bytes(0xff, 0xda));
    const note = segment(0xfe, 'between');
    const noted = bytes(file.subarray(0, lastScan), note, [0xff], file.subarray(lastScan));
    expect(rewrapped(noted)).toEqual(file);
  });

  it('keeps restart markers and stuffed bytes', async () => {
    const data = Uint8Array.of(1, 0xff, 0x00, 2, 0xff, 0xd0, 3, 0xff, 0xff, 0xd1, 4);
    const file = await plain();
    const scan = find(file, bytes(0xff, 0xda));
    const head = file.subarray(0, scan + 2 + (file[scan + 3] ?? 0));
    expect(rewrapped(bytes(head, data, [0xff], end))).toEqual(bytes(head, data, end));
  });

  it('ends with the first image', async () => {
    const file = await plain();
    expect(rewrapped(bytes(file, 'trailing', file))).toEqual(file);
  });

  it('gets its lost end marker back only when that makes it no longer', async () => {
    const file = await plain();
    const cut = file.slice(0, -2);
    expect(rewrapped(cut)).toEqual(cut);
    expect(rewrapped(inserted(cut, segment(0xfe, 'note')))).toEqual(file);
  });
});
