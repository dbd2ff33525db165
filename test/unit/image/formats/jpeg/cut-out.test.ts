import type { JpegOptions } from 'sharp';
import { describe, expect, it } from 'vitest';
import { cutOutJpeg } from '../../../../../src/image/formats/jpeg/cut-out.ts';
import { inspect } from '../../../../../src/image/formats/registry.ts';
import { decodedFile } from '../../../../../src/image/pipeline/target/trials.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../../../src/image/wasm/memory-ledger.ts';
import { plainPicture } from '../../../../support/pictures.ts';

const [width, height] = [300, 260];

async function made(options: JpegOptions) {
  return Uint8Array.from(await plainPicture(width, height).jpeg(options).toBuffer());
}

function jpegOf(file: Uint8Array) {
  const result = inspect(file);
  if (result.kind !== 'image' || result.image.type !== 'jpeg') throw new Error('no JPEG');
  return result.image;
}

const parts = [
  { left: 32, top: 64, width: 96, height: 96 },
  { left: 160, top: 0, width: 96, height: 96 },
];

describe('parts that are cut out of a JPEG', () => {
  it.each([
    ['baseline', { quality: 85 }],
    ['progressive', { quality: 85, progressive: true }],
    ['4:4:4', { quality: 85, chromaSubsampling: '4:4:4' }],
  ] as const)('have the very pixels that they have there: %s', async (_, options) => {
    const file = await made(options);
    const whole = decodedFile(file.slice());
    arena.reserve(arenaCeiling);
    const cut = cutOutJpeg(file, jpegOf(file), parts, 96);
    if (!cut) throw new Error('nothing was cut out');
    const pixels = decodedFile(cut);
    expect([pixels.width, pixels.height]).toEqual([96, 192]);
    let worst = 0;
    for (const [i, { left, top }] of parts.entries()) {
      // where chroma is interpolated, the outermost pixels look beyond the part
      for (let y = 2; y < 94; y += 1) {
        for (let x = 2; x < 94; x += 1) {
          const at = 4 * ((top + y) * width + left + x);
          const own = 4 * ((96 * i + y) * 96 + x);
          for (let c = 0; c < 3; c += 1) {
            worst = Math.max(
              worst,
              Math.abs((whole.data[at + c] ?? 0) - (pixels.data[own + c] ?? 0)),
            );
          }
        }
      }
    }
    expect(worst).toBe(0);
  });

  it('begin with an MCU, or there is none', async () => {
    const file = await made({ quality: 85 });
    arena.reserve(arenaCeiling);
    const aside = [{ left: 8, top: 0, width: 96, height: 96 }];
    expect(cutOutJpeg(file, jpegOf(file), aside, 96)).toBeNull();
  });
});
