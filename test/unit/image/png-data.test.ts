import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../../src/image/inspect/inspect.ts';
import { hasSoundPngData, pngRowBytes } from '../../../src/image/png-data.ts';
import { plainPicture, pngOf } from '../../support/pictures.ts';

function judge(file: Uint8Array): boolean | null {
  const result = inspect(file);
  if (result.kind !== 'image' || result.image.type !== 'png') return null;
  return hasSoundPngData(file, result.image);
}

describe('the data of a PNG', () => {
  it.each([
    [1, 1],
    [7, 5],
    [300, 200],
    [1200, 900],
  ])(
    'are sound as an encoder wrote them, %i × %i, interlaced or not, in every kind',
    async (width, height) => {
      const picture = plainPicture(width, height);
      const files = await Promise.all([
        picture.clone().png().toBuffer(),
        picture.clone().png({ progressive: true }).toBuffer(),
        picture.clone().png({ palette: true, colours: 4 }).toBuffer(),
        picture.clone().png({ palette: true, progressive: true }).toBuffer(),
        picture.clone().toColourspace('b-w').png({ progressive: true }).toBuffer(),
        picture
          .clone()
          .ensureAlpha(0.5)
          .toColourspace('rgb16')
          .png({ progressive: true })
          .toBuffer(),
      ]);
      for (const file of files) expect(judge(file)).toBe(true);
    },
  );

  it('are not when there is a row too many or a byte too few', () => {
    const rows = 20 * (1 + 30 * 4);
    expect(judge(pngOf(30, 20, deflateSync(Buffer.alloc(rows))))).toBe(true);
    expect(judge(pngOf(30, 20, deflateSync(Buffer.alloc(rows - 1))))).toBe(false);
    expect(judge(pngOf(30, 20, deflateSync(Buffer.alloc(rows + 121))))).toBe(false);
  });

  it('are not when a checksum is wrong, of the chunk or of the stream', async () => {
    const stream = deflateSync(Buffer.alloc(20 * 121));
    stream.writeUInt8(stream.readUInt8(stream.length - 1) ^ 1, stream.length - 1);
    expect(judge(pngOf(30, 20, stream))).toBe(false);
    const file = await sharp(Buffer.alloc(300), { raw: { width: 10, height: 10, channels: 3 } })
      .png()
      .toBuffer();
    file.writeUInt8(file.readUInt8(file.length - 13) ^ 1, file.length - 13);
    expect(judge(file)).toBe(false);
  });

  it('of an interlaced picture count every pass with its filter bytes', () => {
    const image = { type: 'png', width: 5, height: 5, colorType: 0, bitDepth: 8, interlaced: true };
    // passes of 1×1, 1×1, 2×1, 1×2, 3×1, 2×3 and 5×2 pixels
    expect(pngRowBytes(image as never)).toBe(2 + 2 + 3 + 4 + 4 + 9 + 12);
  });

  const corpus = process.env.CORPUS;
  it.runIf(corpus)('are sound in every PNG of the corpus that is', () => {
    const unsound: string[] = [];
    for (const folder of ['ui', 'alpha', 'kodak', 'pngsuite']) {
      for (const name of readdirSync(join(corpus ?? '', folder))) {
        if (judge(readFileSync(join(corpus ?? '', folder, name))) === false) unsound.push(name);
      }
    }
    // of PngSuite: a wrong checksum of the data
    expect(unsound).toEqual(['xcsn0g01.png']);
  });
});
