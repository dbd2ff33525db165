import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { inspect } from '../../../src/image/formats/registry.ts';
import { arena } from '../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../src/image/wasm/budgets.ts';
import { readJpegRows } from '../../support/rows.ts';
import { jpegInspection } from '../../unit/image/formats/jpeg/inspected.ts';
import { outcome } from '../../unit/image/formats/jpeg/recoding.ts';
import { corpusSamples, hasCorpus } from '../../unit/image/formats/samples.ts';

describe.skipIf(!hasCorpus)('the JPEGs of the corpus', { timeout: 300_000 }, () => {
  const files = corpusSamples().filter(({ bytes }) => {
    const inspected = inspect(bytes);
    return inspected.kind === 'image' && inspected.image.type === 'jpeg';
  });

  beforeAll(() => arena.reserve(arenaCeiling));

  it('are what libjpeg sees', async () => {
    const different: string[] = [];
    for (const { name, bytes } of files) {
      const image = jpegInspection(bytes);
      if (image.components.length === 4) continue;
      const theirs = await samples(bytes);
      const channels = theirs.length / (image.width * image.height);
      let [at, isSame] = [0, true];
      readJpegRows(bytes, image, 0, (row) => {
        for (let i = 0; i < row.length; i += 4) {
          for (let c = 0; c < channels; c += 1) isSame &&= row[i + c] === theirs[at++];
        }
      });
      if (!isSame || at !== theirs.length) different.push(name);
    }
    expect(different).toEqual([]);
  });

  it('have the same samples when they are coded anew without loss', async () => {
    const different: string[] = [];
    for (const { name, bytes } of files) {
      const coded = outcome(bytes, 'lossless', (kernel) => kernel, 2 * bytes.length);
      const isSame =
        coded.kind === 'coded' && (await samples(coded.bytes)).equals(await samples(bytes));
      if (!isSame) different.push(`${name} ${coded.kind}`);
    }
    expect(different).toEqual([]);
  });
});

/** Without color management; inks as they are. */
async function samples(file: Uint8Array): Promise<Buffer> {
  const picture = sharp(file, { ignoreIcc: true });
  const isInk = jpegInspection(file).components.length === 4;
  return (isInk ? picture.pipelineColourspace('cmyk').toColourspace('cmyk') : picture)
    .raw()
    .toBuffer();
}
