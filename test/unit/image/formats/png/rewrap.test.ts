import { crc32, inflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { pngPreamble } from '../../../../../src/image/formats/png/rewrap.ts';
import { noMetadata } from '../../../../../src/image/metadata/metadata.ts';
import { displayP3Profile, srgbProfile, withPngProfile } from '../../../../support/icc.ts';
import { unacceptedProfiles } from '../../../../support/odd-profiles.ts';
import { decoded } from '../../../../support/pictures.ts';
import { blocks } from '../blocks.ts';
import { be32, bytes, exif, inspected } from '../byte-writing.ts';
import { metadataKinds, picture, profileOf, rewrapped, withMetadata } from '../pictures.ts';

const chunk = (type: string, ...content: Parameters<typeof bytes>) => {
  const data = bytes(...content);
  return bytes(be32(data.length), type, data, be32(crc32(bytes(type, data))));
};
const headerEnd = 8 + 25;
const plain = async () => rewrapped(await picture().png().toBuffer());
/** The file with chunks inserted after IHDR. */
const inserted = (file: Uint8Array, ...chunks: Uint8Array[]) =>
  bytes(file.subarray(0, headerEnd), ...chunks, file.subarray(headerEnd));

function chunkTypes(file: Uint8Array): string[] {
  const types: string[] = [];
  const buffer = Buffer.from(file);
  for (let at = 8; at < file.length; at += 12 + buffer.readUInt32BE(at)) {
    types.push(buffer.toString('latin1', at + 4, at + 8));
  }
  return types;
}

const srgb = chunk('sRGB', 0);
const gamma = chunk('gAMA', be32(45455));
const chromaticities = chunk('cHRM', ...Array.from({ length: 8 }, (_, i) => be32(30000 + i)));
const codePoints = chunk('cICP', [9, 16, 0, 1]);
const physical = (x: number, y: number) => chunk('pHYs', be32(x), be32(y), 1);

describe('a PNG that is coded anew', () => {
  it('says all of it once, however often it has been said', { tags: 'slow' }, async () => {
    const light = chunk('cLLI', new Uint8Array(8));
    const said = [codePoints, light, physical(1, 2)];
    const again = Buffer.alloc(200_000 * light.length, light);
    const file = inserted(await plain(), ...said, again, physical(1, 3));
    const appearance = { icc: null, metadata: noMetadata };
    const image = inspected('png', inserted(await plain(), ...said));
    expect(pngPreamble(image, file, appearance)).toEqual(bytes(...said));
  });
});

describe('a rewrapped PNG', () => {
  it('has lost all metadata and no pixel', async () => {
    const file = await withMetadata(picture(4)).png().toBuffer();
    const result = rewrapped(file);
    expect(await metadataKinds(file)).toEqual(['exif', 'icc', 'xmp']);
    expect(await metadataKinds(result)).toEqual([]);
    expect(await decoded(result)).toEqual(await decoded(file));
    expect(result.length).toBeLessThan(file.length);
  });

  it('has only the chunks that say what the picture looks like', async () => {
    const file = await plain();
    const notes = ['tEXt', 'zTXt', 'iTXt', 'tIME', 'eXIf', 'bKGD', 'sBIT', 'hIST', 'iDOT', 'prVt'];
    const noted = inserted(file, ...notes.map((type) => chunk(type, 'x\0y')));
    expect(rewrapped(bytes(noted, chunk('tEXt', 'x\0y'), 'trailing'))).toEqual(file);
    expect(chunkTypes(file)).toEqual(['IHDR', 'IDAT', 'IEND']);
  });

  it('keeps transparency, HDR and animation chunks where they stood', async () => {
    const kept = Object.entries({ tRNS: 6, mDCV: 24, cLLI: 8, fcTL: 26, fdAT: 6 }).map(
      ([type, length]) => chunk(type, new Uint8Array(length)),
    );
    const file = inserted(await plain(), chunk('acTL', be32(2), be32(0)), ...kept);
    expect(rewrapped(file)).toEqual(file);
  });

  it('has no frames of an animation that it is not', async () => {
    const file = await plain();
    const frame = chunk('fdAT', new Uint8Array(6));
    expect(rewrapped(inserted(file, frame))).toEqual(file);
    expect(rewrapped(inserted(file, chunk('acTL', be32(0), be32(0)), frame))).toEqual(file);
  });

  it('sheds chunks of a fixed length that have another', async () => {
    const file = await plain();
    for (const type of ['gAMA', 'cHRM', 'sRGB', 'cICP', 'mDCV', 'cLLI']) {
      expect(rewrapped(inserted(file, chunk(type, new Uint8Array(60))))).toEqual(file);
    }
  });

  it('keeps the resolution only of pixels that are not square', async () => {
    const file = await plain();
    const oblong = inserted(file, physical(2835, 5670));
    expect(rewrapped(inserted(file, physical(2835, 2835)))).toEqual(file);
    expect(rewrapped(oblong)).toEqual(oblong);
  });

  it('carries a profile and an orientation before its image data', async () => {
    const icc = displayP3Profile();
    const file = inserted(await plain(), srgb, gamma, chromaticities);
    const result = rewrapped(file, { icc, exif: exif(8, 'MM') });
    const metadata = await sharp(result).metadata();
    expect(chunkTypes(result)).toEqual(['IHDR', 'iCCP', 'eXIf', 'IDAT', 'IEND']);
    expect(metadata.orientation).toBe(8);
    expect(metadata.icc).toEqual(Buffer.from(icc));
    expect(await decoded(result)).toEqual(await decoded(file));
  });

  it('carries its blocks before its image data, IPTC as a profile in hexadecimal', async () => {
    const result = rewrapped(await plain(), { ...blocks, icc: displayP3Profile() });
    const { comments } = await sharp(result).metadata();
    expect(chunkTypes(result)).toEqual(['IHDR', 'iCCP', 'eXIf', 'iTXt', 'zTXt', 'IDAT', 'IEND']);
    expect(Buffer.from(result).includes(blocks.xmp)).toBe(true);
    const { iptc } = blocks;
    const resource = Buffer.from(bytes('8BIM', [4, 4], 0, 0, be32(iptc.length), iptc, 0));
    const text = `\niptc\n      ${resource.length}\n${resource.toString('hex')}\n`;
    expect(comments).toEqual([{ keyword: 'Raw profile type iptc', text }]);
  });

  it('keeps its own profile chunk as it is', async () => {
    const file = await picture().withIccProfile('p3').png().toBuffer();
    const result = rewrapped(file, { icc: profileOf(file) });
    const at = file.indexOf('iCCP') - 4;
    const own = file.subarray(at, at + 12 + file.readUInt32BE(at));
    expect(Buffer.from(result).includes(own)).toBe(true);
    expect(inflateSync(own.subarray(8 + own.subarray(8).indexOf(0) + 2))).toEqual(
      Buffer.from(profileOf(result) ?? []),
    );
  });

  it('keeps the colour chunk that is in effect, and none below it', async () => {
    const file = await plain();
    const all = inserted(file, gamma, chromaticities, srgb, codePoints);
    expect(rewrapped(all)).toEqual(inserted(file, srgb, codePoints));
    const approximate = inserted(file, gamma, chromaticities, codePoints);
    expect(rewrapped(approximate)).toEqual(approximate);
    const withProfile = rewrapped(file, { icc: srgbProfile() });
    expect(rewrapped(inserted(withProfile, gamma, chromaticities))).toEqual(file);
  });

  it('lets a gamma stand when the profile beside it cannot be read', async () => {
    const file = inserted(await plain(), gamma);
    const corrupt = chunk('iCCP', 'name\0\0', 'no zlib stream');
    expect(rewrapped(inserted(file, corrupt))).toEqual(file);
    const icc = unacceptedProfiles['a red curve that is missing'] ?? new Uint8Array();
    expect(rewrapped(withPngProfile(file, icc))).toEqual(file);
  });

  it('has lost colour chunks that stand where they do not count', async () => {
    const file = await picture().png({ palette: true }).toBuffer();
    const bareFile = rewrapped(file);
    const late = (type: string, ...chunks: Uint8Array[]) => {
      const at = Buffer.from(bareFile).indexOf(type) - 4;
      return bytes(bareFile.subarray(0, at), ...chunks, bareFile.subarray(at));
    };
    expect(chunkTypes(bareFile)).toContain('PLTE');
    expect(rewrapped(late('IDAT', codePoints))).toEqual(bareFile);
    expect(rewrapped(late('IEND', codePoints, gamma, srgb))).toEqual(bareFile);
    for (const chunks of [[gamma, chromaticities], [srgb]]) {
      const counted = late('IDAT', ...chunks);
      expect(rewrapped(counted)).toEqual(counted);
    }
    expect(rewrapped(late('IDAT', gamma, srgb))).toEqual(late('IDAT', srgb));
  });

  it('gets its lost end back only when that makes it no longer', async () => {
    const file = await plain();
    const cut = file.slice(0, -12);
    expect(rewrapped(cut)).toEqual(cut);
    expect(rewrapped(inserted(cut, chunk('tEXt', 'x\0y')))).toEqual(file);
  });
});
