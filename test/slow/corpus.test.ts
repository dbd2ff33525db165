import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFull } from '../support/full.ts';
import { difference } from '../support/pictures.ts';
import { startTestService, type TestService } from '../support/service.ts';

const corpus = process.env.CORPUS ?? '';
/** `orientation` has a separate test that converts all its files to all formats. */
const folders = [
  'ui',
  'alpha',
  'kodak',
  'photos',
  'pngsuite',
  'jpeg-odd',
  'webp',
  'avif',
  'apng',
  'gif',
];
const conversions = ['jpeg', 'png', 'webp', 'avif'] as const;

/** Each picture in its own and in one other format, in rotation; `npm run test:full` tries all. */
function formatsFor(turn: number) {
  const all = isFull;
  return ['keep', ...conversions.filter((_, i) => all || i === turn % conversions.length)];
}

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

function files(folder: string): { name: string; file: Uint8Array<ArrayBuffer> }[] {
  const path = join(corpus, folder);
  return readdirSync(path).map((name) => ({
    name,
    file: Uint8Array.from(readFileSync(join(path, name))),
  }));
}

/** The file as decoded by sharp; null if it cannot decode it. */
async function shown(file: Uint8Array) {
  try {
    await sharp(file).raw().toBuffer();
    return (await sharp(file).metadata()).autoOrient;
  } catch {
    return null;
  }
}

describe.runIf(corpus)('real pictures', () => {
  it.each(folders)(
    'of %s come back readable, in their size and never bigger, or are refused by name',
    async (folder) => {
      // Six photos of the same kind and size tell nearly as much as two dozen.
      const step = folder === 'kodak' ? 4 : 1;
      const pictures = files(folder).filter((_, i) => i % step === 0);
      for (const [turn, { name, file }] of pictures.entries()) {
        const before = await shown(file);
        for (const format of formatsFor(turn)) {
          // With a background, every picture can be converted to JPEG.
          const query = `?format=${format}${format === 'jpeg' ? '&background=%23ffffff' : ''}`;
          const response = await service.optimize(file, query);
          const body = Buffer.from(await response.arrayBuffer());
          const label = `${folder}/${name} ${format} ${response.status} ${body.toString('latin1', 0, 200)}`;
          if (response.status !== 200) {
            expect([413, 415, 422], label).toContain(response.status);
            const isPlain = ['ui', 'alpha', 'kodak'].includes(folder);
            const isSound = folder === 'pngsuite' && !name.startsWith('x');
            expect((isPlain && response.status !== 413) || isSound, label).toBe(false);
            continue;
          }
          const after = await shown(body);
          expect(after, label).not.toBeNull();
          if (before) expect(after, label).toMatchObject(before);
          if (format === 'keep') expect(body.length, label).toBeLessThanOrEqual(file.length);
        }
      }
    },
    600_000,
  );
});

describe.runIf(corpus)('the files of PngSuite', () => {
  const suite = corpus ? files('pngsuite') : [];
  const sound = suite.filter(({ name }) => !name.startsWith('x'));
  // Browsers do not look at the checksum of the image data.
  const broken = suite.filter(({ name }) => name.startsWith('x') && name !== 'xcsn0g01.png');

  /** All samples as 16-bit RGBA; 8-bit samples are multiplied by 257. */
  async function samples(file: Uint8Array): Promise<Uint16Array> {
    const { depth } = await sharp(file).metadata();
    const raw = sharp(file).ensureAlpha();
    if (depth !== 'ushort') {
      const data = await raw.toColourspace('srgb').raw().toBuffer();
      return Uint16Array.from(data, (sample) => 257 * sample);
    }
    const data = await raw.toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer();
    return new Uint16Array(data.buffer, data.byteOffset, data.length / 2);
  }

  /** The pixels on gray, which hides differences in fully transparent pixels. */
  function visible(file: Uint8Array): Promise<Buffer> {
    return sharp(file).flatten({ background: '#808080' }).toColourspace('srgb').raw().toBuffer();
  }

  it('are what was sent', () => {
    expect([sound.length, broken.length]).toEqual([164, 13]);
  });

  it('come back identical, or nearly so where that is not asked for', async () => {
    for (const { name, file } of sound) {
      const exact = await service.optimize(file, '?quality=lossless');
      expect(exact.status, name).toBe(200);
      const result = Buffer.from(await exact.arrayBuffer());
      expect(await samples(result), name).toEqual(await samples(file));
      const auto = Buffer.from(await (await service.optimize(file)).arrayBuffer());
      expect(difference(await visible(auto), await visible(file)), name).toBeLessThan(1);
    }
  }, 120_000);

  it('that are broken are refused as such in every format and size', async () => {
    for (const { name, file } of broken) {
      for (const query of [
        '',
        '?format=webp',
        '?format=png&width=8',
        '?quality=lossless&metadata=all',
      ]) {
        const { status } = await service.optimize(file, query);
        expect([415, 422], `${name} ${query}`).toContain(status);
      }
    }
  });
});
