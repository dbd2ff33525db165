import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../../../../src/image/formats/registry.ts';
import { displayP3Profile, largeProfile } from '../../../../support/icc.ts';
import { unacceptedProfiles } from '../../../../support/odd-profiles.ts';
import { decoded, encoderAvif } from '../../../../support/pictures.ts';
import { be32, bytes, inspected } from '../byte-writing.ts';
import { metadataKinds, picture, profileOf, rewrapped, withMetadata } from '../pictures.ts';

const find = (file: Uint8Array, text: string) => Buffer.from(file).indexOf(text);
const described = (channels: 3 | 4 = 3) =>
  withMetadata(picture(channels)).avif({ effort: 0 }).toBuffer();
const containerError = expect.objectContaining({ name: 'ContainerError' });

/** The same file as an image sequence, by its brand and a `moov` without tracks. */
function asSequence(file: Uint8Array): Uint8Array {
  const sequence = bytes(file, be32(8), 'moov');
  sequence.set(bytes('avis'), 8);
  return sequence;
}

/** The same file, its first item under protection. */
function asProtected(file: Uint8Array): Uint8Array {
  const copy = bytes(file);
  // Version and flags, then the id, then the index of the protection.
  copy[find(copy, 'infe') + 4 + 4 + 2 + 1] = 1;
  return copy;
}

describe('a rewrapped AVIF from the encoder', () => {
  it('says that it is sRGB, and shows the same pixels', async () => {
    const lossy = rewrapped(encoderAvif.lossyWithAlpha);
    const lossless = rewrapped(encoderAvif.lossless);
    const srgb = { primaries: 1, transfer: 13, fullRange: true };
    expect(inspected('avif', encoderAvif.lossyWithAlpha).nclx?.primaries).toBe(2);
    expect(inspected('avif', lossy).nclx).toEqual({ ...srgb, matrix: 6 });
    expect(inspected('avif', lossless).nclx).toEqual({ ...srgb, matrix: 0 });
    expect(lossy.length).toBe(encoderAvif.lossyWithAlpha.length);
    expect(await decoded(lossy)).toEqual(await decoded(encoderAvif.lossyWithAlpha));
    expect(await decoded(lossless)).toEqual(await decoded(encoderAvif.lossless));
  });

  it.each([displayP3Profile(), largeProfile(100_000)])('carries a profile', async (icc) => {
    const file = encoderAvif.lossyWithAlpha;
    const result = rewrapped(file, { icc });
    expect((await sharp(result).metadata()).icc).toEqual(Buffer.from(icc));
    expect(inspected('avif', result)).toMatchObject({ hasAlpha: true, nclx: { matrix: 6 } });
    expect(await decoded(result)).toEqual(await decoded(file));
    // The box with its kind, and one more association.
    expect(result.length).toBe(file.length + icc.length + 12 + 1);
    expect(rewrapped(result)).toEqual(rewrapped(file));
  });
});

describe('a rewrapped AVIF', () => {
  it.each(Object.entries(unacceptedProfiles))('carries no profile with %s', (_, icc) => {
    const file = encoderAvif.lossyWithAlpha;
    expect(rewrapped(file, { icc })).toEqual(rewrapped(file));
  });

  it.each([3, 4] as const)('has lost all metadata and no pixel, %d channels', async (channels) => {
    const file = await described(channels);
    const result = rewrapped(file);
    expect(await metadataKinds(file)).toEqual(['exif', 'icc', 'xmp']);
    expect(await metadataKinds(result)).toEqual([]);
    expect(await decoded(result)).toEqual(await decoded(file));
    expect(result.length).toBeLessThan(file.length);
    for (const trace of ['Somebody', 'secret', 'Exif', 'rdf+xml', 'cdsc']) {
      expect([find(file, trace) > 0, find(result, trace)]).toEqual([true, -1]);
    }
  });

  it.each(['avi\0', 'avis', 'tmap'])(
    'has a major brand that every reader knows, not %j',
    async (brand) => {
      const file = bytes(await described());
      file.set(bytes(brand), 8);
      const copy = rewrapped(file);
      expect(Buffer.from(copy).toString('latin1', 8, 12)).toBe('avif');
      expect((await sharp(copy).metadata()).format).toBe('heif');
      expect(copy.length).toBeLessThan(file.length);
    },
  );

  it('keeps its own profile box as it is', async () => {
    const file = await described();
    const result = rewrapped(file, { icc: profileOf(file) });
    expect(await metadataKinds(result)).toEqual(['icc']);
    expect(profileOf(result)).toEqual(profileOf(file));
    expect(find(file, 'rICC')).toBeGreaterThan(0);
    expect(find(result, 'rICC')).toBeGreaterThan(0);
  });

  it('does not name colours anew that the file names itself', async () => {
    const file = bytes(encoderAvif.lossless);
    file.set([0, 9, 0, 16], find(file, 'nclx') + 4);
    expect(rewrapped(file)).toEqual(bytes('\0\0\0\x20', file.subarray(4)));
  });

  it('is the same whatever length its media data state, as long as they are there', () => {
    const file = encoderAvif.lossyWithAlpha;
    const at = find(file, 'mdat') - 4;
    const stating = (length: number) => {
      const copy = Buffer.from(file);
      copy.writeUInt32BE(length, at);
      return copy;
    };
    for (const length of [file.length, 3, 0]) {
      expect([...rewrapped(stating(length))]).toEqual([...rewrapped(file)]);
    }
    expect(inspect(stating(file.length).subarray(0, -1)).kind).toBe('broken');
  });

  it('has lost boxes beside its picture and bytes that belong to no item', async () => {
    const file = rewrapped(encoderAvif.lossyWithAlpha);
    const noted = bytes(file, 'trailing', be32(16), 'uuid', 'provenance');
    noted.set(be32(file.length - find(file, 'mdat') + 4 + 8), find(file, 'mdat') - 4);
    expect(rewrapped(noted)).toEqual(file);
  });

  it.each([
    { what: 'an image sequence', change: asSequence },
    { what: 'a picture under protection', change: asProtected },
  ])('is the same file when it is $what, and takes no other profile', ({ change }) => {
    const icc = displayP3Profile();
    const without = change(encoderAvif.lossless);
    const withProfile = change(rewrapped(encoderAvif.lossless, { icc }));
    expect(rewrapped(without)).toEqual(without);
    expect(rewrapped(withProfile, { icc })).toEqual(withProfile);
    expect(() => rewrapped(without, { icc })).toThrow(containerError);
  });
});
