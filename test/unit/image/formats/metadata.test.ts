import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { inputFacts } from '../../../../src/image/formats/facts.ts';
import { noMetadata } from '../../../../src/image/metadata/metadata.ts';
import { displayP3Profile } from '../../../support/icc.ts';
import { decoded } from '../../../support/pictures.ts';
import { blocks, largeBlock } from './blocks.ts';
import { bytes, exif } from './byte-writing.ts';
import {
  animation,
  metadataKinds,
  metadataOf,
  picture,
  profileOf,
  rewrapped,
  withMetadata,
} from './pictures.ts';

const limit = 256 * 1024;
const holdsIptc = (type: string) => type === 'jpeg' || type === 'png';

/** GIF holds XMP alone. */
const laden = inputFacts.map(({ type }) => type).filter((type) => type !== 'gif');

describe.each(laden)('the metadata of a %s', (type) => {
  const plain = async () => rewrapped(await picture().toFormat(type).toBuffer());
  const carried = { ...blocks, iptc: holdsIptc(type) ? blocks.iptc : null };

  it('are those that were put into it, beside a profile and an unchanged picture', async () => {
    const file = await plain();
    const icc = displayP3Profile();
    const result = rewrapped(file, { ...blocks, icc });
    expect(metadataOf(result)).toEqual(carried);
    expect(profileOf(result)).toEqual(icc);
    expect(await decoded(result)).toEqual(await decoded(file));
    expect(rewrapped(result)).toEqual(file);
    expect(metadataOf(file)).toEqual(noMetadata);
  });

  it.each(['exif', 'xmp', 'iptc'] as const)('may be %s alone', async (kind) => {
    const result = rewrapped(await plain(), { [kind]: blocks[kind] });
    expect(metadataOf(result)).toEqual({ ...noMetadata, [kind]: carried[kind] });
  });

  it('are what another reader finds too', async () => {
    const file = await plain();
    const found = await sharp(rewrapped(file, blocks)).metadata();
    const prefix = type === 'jpeg' ? 'Exif\0\0' : '';
    expect(found.exif).toEqual(Buffer.from(bytes(prefix, blocks.exif)));
    expect(found.xmp).toEqual(Buffer.from(blocks.xmp));
    expect(found.orientation).toBe(type === 'avif' ? undefined : 6);
    expect(await metadataKinds(file)).toEqual([]);
  });

  it('are what another writer wrote', async () => {
    const file = await withMetadata(picture()).toFormat(type).toBuffer();
    const found = await sharp(file).metadata();
    const block = found.exif?.subarray(
      found.exif.indexOf(/II\*\0/.exec(String(found.exif))?.[0] ?? 'MM\0*'),
    );
    expect(block?.length).toBeGreaterThan(100);
    expect(metadataOf(file)).toEqual({
      exif: block && Uint8Array.from(block),
      xmp: found.xmp && Uint8Array.from(found.xmp),
      iptc: null,
    });
  });

  it('are none when they are empty, and may have a quarter of a mebibyte but no more', async () => {
    const file = await plain();
    const none = new Uint8Array();
    expect(rewrapped(file, { exif: none, xmp: none, iptc: none })).toEqual(file);
    if (type === 'jpeg') return;
    const largest = {
      exif: largeBlock(type === 'avif' ? limit - 4 : limit, 'MM\0*'),
      xmp: largeBlock(limit),
    };
    expect(metadataOf(rewrapped(file, largest))).toEqual({ ...noMetadata, ...largest });
    const larger = { exif: bytes(largest.exif, 0), xmp: bytes(largest.xmp, 0) };
    expect(metadataOf(rewrapped(file, larger))).toEqual(noMetadata);
  });

  it('are none where EXIF does not begin with a TIFF header', async () => {
    const file = await plain();
    for (const exif of ['II*', 'MM*\0', 'II\0*', 'Exif\0\0', 'no TIFF at all']) {
      expect(metadataOf(rewrapped(file, { exif: bytes(exif) })).exif).toBeNull();
    }
    expect(metadataOf(rewrapped(file, { exif: bytes('Exif\0\0', exif(3, 'MM')) })).exif).toEqual(
      type === 'jpeg' ? null : exif(3, 'MM'),
    );
  });
});

describe('the metadata of a GIF', () => {
  it('are XMP, and nothing else', async () => {
    const file = rewrapped(await picture().gif().toBuffer());
    const result = rewrapped(file, { ...blocks, icc: displayP3Profile() });
    expect(metadataOf(result)).toEqual({ ...noMetadata, xmp: blocks.xmp });
    expect(profileOf(result)).toBeNull();
    expect(await decoded(result)).toEqual(await decoded(file));
    expect(rewrapped(result)).toEqual(file);
    expect(rewrapped(file, { exif: blocks.exif, iptc: blocks.iptc })).toEqual(file);
  });
});

describe('an animation', () => {
  it('carries metadata behind its frames', async () => {
    const file = await animation().webp({ lossless: true }).toBuffer();
    const result = rewrapped(file, blocks);
    expect(metadataOf(result)).toEqual({ ...blocks, iptc: null });
    expect((await sharp(result).metadata()).pages).toBe(3);
    expect(await decoded(result)).toEqual(await decoded(file));
  });
});
