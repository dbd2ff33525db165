import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { inputFacts } from '../../../../src/image/formats/facts.ts';
import { displayP3Profile, largeProfile } from '../../../support/icc.ts';
import { be32, bytes } from '../formats/byte-writing.ts';
import { picture, profileOf, rewrapped } from '../formats/pictures.ts';

async function withProfileChunk(stream: Uint8Array): Promise<Uint8Array> {
  const file = rewrapped(await picture().png().toBuffer());
  const data = bytes('iCCP', 'name\0\0', stream);
  const chunk = bytes(be32(data.length - 4), data, be32(crc32(data)));
  return bytes(file.subarray(0, 33), chunk, file.subarray(33));
}

describe('the profile of a file', () => {
  it.each(inputFacts.filter(({ output }) => output?.holdsProfiles))(
    'is the one that was put into a $type',
    async ({ type }) => {
      const file = await picture().toFormat(type).toBuffer();
      const icc = largeProfile(70_000);
      expect(profileOf(rewrapped(file))).toBeNull();
      expect(profileOf(rewrapped(file, { icc }))).toEqual(icc);
    },
  );

  it('is none when it inflates to more than 4 MiB', { tags: 'slow' }, async () => {
    const limit = 4 * 1024 * 1024;
    const largest = bytes(displayP3Profile(), new Uint8Array(limit - displayP3Profile().length));
    const profile = profileOf(await withProfileChunk(deflateSync(largest)));
    expect(profile?.length).toBe(limit);
    const bomb = await withProfileChunk(deflateSync(bytes(largest, 0)));
    expect(profileOf(bomb)).toBeNull();
  });

  it('is none when its stream is cut or corrupt', async () => {
    const stream = deflateSync(displayP3Profile());
    expect(profileOf(await withProfileChunk(stream))).toEqual(displayP3Profile());
    expect(profileOf(await withProfileChunk(stream.subarray(0, -8)))).toBeNull();
    expect(profileOf(await withProfileChunk(bytes('no zlib stream')))).toBeNull();
  });

  it('is none when it does not bear the signature of one', async () => {
    const file = await picture().jpeg().toBuffer();
    const icc = new Uint8Array(1000);
    expect(profileOf(rewrapped(file, { icc }))).toBeNull();
    expect(profileOf(await withProfileChunk(deflateSync(bytes('too short'))))).toBeNull();
  });
});
