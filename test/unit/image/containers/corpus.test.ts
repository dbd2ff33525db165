import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { iccProfile } from '../../../../src/image/containers/icc-profile.ts';
import { rewrap } from '../../../../src/image/containers/rewrap.ts';
import { inspect } from '../../../../src/image/inspect/inspect.ts';
import { decoded } from '../../../support/decoded.ts';
import { corpusSamples, hasCorpus } from '../inspect/samples.ts';

describe.skipIf(!hasCorpus)('every image of the corpus', () => {
  const readable = corpusSamples().filter(({ bytes }) => inspect(bytes).kind === 'image');

  it.each(readable)(
    '$name is the same picture after it was rewrapped',
    async ({ bytes }) => {
      const before = inspect(bytes);
      if (before.kind !== 'image') throw new Error('not readable');
      const { type, orientation } = before.image;
      const icc = iccProfile(before.image, bytes);
      const result = rewrap(type, bytes, { icc, orientation });
      expect(result.length).toBeLessThanOrEqual(bytes.length);
      expect(rewrap(type, result, { icc, orientation })).toEqual(result);

      const metadata = await sharp(result).metadata();
      expect(metadata.xmp ?? metadata.iptc ?? metadata.comments).toBeUndefined();
      expect(metadata.exif === undefined).toBe(orientation === 1);
      expect(metadata.orientation ?? 1).toBe(orientation);
      expect(metadata.icc?.length).toBe(icc?.length);
      const [pixels, pixelsBefore] = [
        await decoded(result, { lenient: true }),
        await decoded(bytes, { lenient: true }),
      ];
      expect(pixels.data.equals(pixelsBefore.data)).toBe(true);
    },
    30_000,
  );
});
