import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { avifWithoutMetadata } from '../../../src/image/formats/avif/container/in-place.ts';
import { readAvifItems } from '../../../src/image/formats/avif/container/items.ts';
import type { AvifInspection } from '../../../src/image/formats/avif/inspect.ts';
import { inspect } from '../../../src/image/formats/registry.ts';
import { noMetadata } from '../../../src/image/metadata/metadata.ts';
import { decoded } from '../../support/pictures.ts';
import { iccProfile } from '../../support/profile-of.ts';
import {
  imageOf,
  metadataKinds,
  metadataOf,
  rewrapped,
} from '../../unit/image/formats/pictures.ts';
import {
  corpusSamples,
  hasCorpus,
  opaqueInSharp,
  unreadInSharp,
} from '../../unit/image/formats/samples.ts';

describe.skipIf(!hasCorpus)('every image of the corpus', () => {
  const readable = corpusSamples().filter(
    ({ name, bytes }) =>
      inspect(bytes).kind === 'image' && ![unreadInSharp, opaqueInSharp].includes(name),
  );
  const pixels = async (file: Uint8Array) => (await decoded(file, { lenient: true })).data;

  it.each(readable)(
    '$name is the same picture after it was rewrapped',
    async ({ bytes }) => {
      const image = imageOf(bytes);
      const icc = iccProfile(image, bytes);
      const result = rewrapped(bytes, { icc });
      expect(result.length).toBeLessThanOrEqual(bytes.length);
      expect(rewrapped(result, { icc })).toEqual(result);
      expect(await metadataKinds(result)).toEqual(icc ? ['icc'] : []);
      expect((await sharp(result).metadata()).icc?.length).toBe(icc?.length);
      expect(metadataOf(result)).toEqual(noMetadata);
      expect((await pixels(result)).equals(await pixels(bytes))).toBe(true);
    },
    30_000,
  );

  it.each(readable)(
    '$name keeps its metadata when they are asked for',
    async ({ bytes }) => {
      const image = imageOf(bytes);
      const metadata = metadataOf(bytes);
      const result = rewrapped(bytes, { ...metadata, icc: iccProfile(image, bytes) });
      expect(metadataOf(result)).toEqual(metadata);
      const [before, after] = [await sharp(bytes).metadata(), await sharp(result).metadata()];
      expect(after.xmp?.equals(before.xmp ?? Buffer.alloc(0))).toBe(before.xmp && true);
      expect(after.exif === undefined).toBe(metadata.exif === null);
      expect((await pixels(result)).equals(await pixels(bytes))).toBe(true);
    },
    30_000,
  );

  const avifs = readable.filter(({ bytes }) => imageOf(bytes).type === 'avif');
  it.each(avifs)('$name is the same picture when it is changed in place', async ({ bytes }) => {
    const result = avifWithoutMetadata(bytes, readAvifItems(bytes), noMetadata);
    expect(result.length).toBe(bytes.length);
    // The time that boxes take is no part of the picture: metadata has boxes, too.
    const { icc, partsMs } = imageOf(result) as AvifInspection;
    expect(imageOf(result)).toEqual({ ...imageOf(bytes), icc, partsMs });
    expect(await metadataKinds(result)).toEqual(imageOf(bytes).icc.length > 0 ? ['icc'] : []);
    expect((await pixels(result)).equals(await pixels(bytes))).toBe(true);
  });
});
