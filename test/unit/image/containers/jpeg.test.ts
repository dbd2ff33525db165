import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { rewrap } from '../../../../src/image/containers/rewrap.ts';
import { decoded } from '../../../support/decoded.ts';
import { displayP3Profile, largeProfile } from '../../../support/icc.ts';
import { be16, bytes, inspected } from '../inspect/byte-writing.ts';
import { bare, metadataKinds, picture, profileOf, withMetadata } from './pictures.ts';

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
  rewrap('jpeg', await picture().jpeg({ progressive }).toBuffer(), bare);
/** The same file with something put right behind its start marker. */
const inserted = (file: Uint8Array, ...parts: Uint8Array[]) =>
  bytes(file.subarray(0, 2), ...parts, file.subarray(2));
const find = (file: Uint8Array, part: string | Uint8Array) => Buffer.from(file).indexOf(part);

describe('a rewrapped JPEG', () => {
  it.each([false, true])(
    'has lost all metadata and no pixel, progressive: %s',
    async (progressive) => {
      const file = await withMetadata(picture()).jpeg({ progressive }).toBuffer();
      const result = rewrap('jpeg', file, bare);
      expect(await metadataKinds(file)).toEqual(['exif', 'icc', 'xmp']);
      expect(await metadataKinds(result)).toEqual([]);
      expect(await decoded(result)).toEqual(await decoded(file));
      expect(result.length).toBeLessThan(file.length);
    },
  );

  it('carries orientation and profile, in that order', async () => {
    const file = await picture().jpeg().toBuffer();
    const icc = displayP3Profile();
    const result = rewrap('jpeg', file, { icc, orientation: 6 });
    const metadata = await sharp(result).metadata();
    expect(metadata.orientation).toBe(6);
    expect(metadata.icc).toEqual(Buffer.from(icc));
    expect(find(result, 'Exif\0\0')).toBeLessThan(find(result, 'ICC_PROFILE'));
    // 36 bytes of EXIF, 18 before the profile.
    expect(result.length).toBe(rewrap('jpeg', file, bare).length + 36 + 18 + icc.length);
    expect(await decoded(result)).toEqual(await decoded(file));
  });

  it('carries a profile larger than a segment', async () => {
    const icc = largeProfile(150_000);
    const result = rewrap('jpeg', await plain(), { icc, orientation: 1 });
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
    expect(() => rewrap('jpeg', file, { icc, orientation: 1 })).toThrow(
      expect.objectContaining({ name: 'ContainerError' }),
    );
  });

  it('keeps JFIF without its thumbnail, and never gains one', async () => {
    const naked = await plain();
    expect(find(naked, 'JFIF')).toBe(-1);
    expect(rewrap('jpeg', naked, bare)).toEqual(naked);
    expect(rewrap('jpeg', inserted(naked, jfif(16)), bare)).toEqual(inserted(naked, jfif(0)));
  });

  it('keeps the Adobe marker, so that CMYK stays CMYK', async () => {
    const file = await withMetadata(picture().toColourspace('cmyk'))
      .withIccProfile('cmyk')
      .jpeg()
      .toBuffer();
    const result = rewrap('jpeg', file, { icc: profileOf(file), orientation: 1 });
    expect(inspected('jpeg', result).colorSpace).toBe(inspected('jpeg', file).colorSpace);
    expect(find(result, 'Adobe')).toBeGreaterThan(find(result, 'ICC_PROFILE'));
    expect(await decoded(result)).toEqual(await decoded(file));
  });

  it('has lost what stood between scans, but no scan', async () => {
    const file = await plain(true);
    const lastScan = Buffer.from(file).lastIndexOf(bytes(0xff, 0xda));
    const note = segment(0xfe, 'between');
    const noted = bytes(file.subarray(0, lastScan), note, [0xff], file.subarray(lastScan));
    expect(rewrap('jpeg', noted, bare)).toEqual(file);
  });

  it('keeps restart markers and stuffed bytes', async () => {
    const data = Uint8Array.of(1, 0xff, 0x00, 2, 0xff, 0xd0, 3, 0xff, 0xff, 0xd1, 4);
    const file = await plain();
    const scan = find(file, bytes(0xff, 0xda));
    const head = file.subarray(0, scan + 2 + (file[scan + 3] ?? 0));
    expect(rewrap('jpeg', bytes(head, data, [0xff], end), bare)).toEqual(bytes(head, data, end));
  });

  it('ends with the first image', async () => {
    const file = await plain();
    expect(rewrap('jpeg', bytes(file, 'trailing', file), bare)).toEqual(file);
  });

  it('gets its lost end marker back only when that makes it no longer', async () => {
    const file = await plain();
    const cut = file.slice(0, -2);
    expect(rewrap('jpeg', cut, bare)).toEqual(cut);
    expect(rewrap('jpeg', inserted(cut, segment(0xfe, 'note')), bare)).toEqual(file);
  });
});
