import type { JpegOptions } from 'sharp';
import { describe, expect, it } from 'vitest';
import { cutOutJpeg } from '../../../../../src/image/formats/jpeg/cut-out.ts';
import { inspect } from '../../../../../src/image/formats/registry.ts';
import { decodedFile } from '../../../../../src/image/pipeline/target/trials.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { plainPicture } from '../../../../support/pictures.ts';
import { made, samplings } from './made-jpegs.ts';

const [width, height] = [300, 260];

async function photo(options: JpegOptions) {
  return Uint8Array.from(await plainPicture(width, height).jpeg(options).toBuffer());
}

function jpegOf(file: Uint8Array) {
  const result = inspect(file);
  if (result.kind !== 'image' || result.image.type !== 'jpeg') throw new Error('no JPEG');
  return result.image;
}

const parts = [
  { left: 96, top: 64, width: 96, height: 96 },
  { left: 192, top: 0, width: 96, height: 96 },
];

/** Parts of a file one below the other, and the pixels of both. */
function cutOut(file: Uint8Array<ArrayBuffer>, regions = parts) {
  const whole = runAtOnce(decodedFile(file.slice()));
  const cut = runAtOnce(cutOutJpeg(file, jpegOf(file), regions, 96));
  if (!cut) throw new Error('nothing was cut out');
  return { whole, pixels: runAtOnce(decodedFile(cut)) };
}

/** How far pixels are from those of the picture that parts are of, but for this many at their edges. */
function distance({ whole, pixels }: ReturnType<typeof cutOut>, margin: number): number {
  let worst = 0;
  for (const [i, { left, top }] of parts.entries()) {
    for (let y = margin; y < 96 - margin; y += 1) {
      for (let x = margin; x < 96 - margin; x += 1) {
        const at = 4 * ((top + y) * whole.width + left + x);
        const own = 4 * ((96 * i + y) * 96 + x);
        for (let c = 0; c < 3; c += 1) {
          const off = Math.abs((whole.data[at + c] ?? 0) - (pixels.data[own + c] ?? 0));
          worst = Math.max(worst, off);
        }
      }
    }
  }
  return worst;
}

describe('parts that are cut out of a JPEG', () => {
  it.each([
    ['baseline', { quality: 85 }],
    ['progressive', { quality: 85, progressive: true }],
    ['4:4:4', { quality: 85, chromaSubsampling: '4:4:4' }],
  ] as const)('have the very pixels that they have there: %s', async (_, options) => {
    const cut = cutOut(await photo(options));
    expect([cut.pixels.width, cut.pixels.height]).toEqual([96, 192]);
    // where chroma is interpolated, the outermost pixels look beyond the part
    expect(distance(cut, 2)).toBe(0);
  });

  it.each(Object.entries(samplings))('have them with any sampling: %s', (_, factors) => {
    expect(distance(cutOut(made(width, height, factors)), 8)).toBe(0);
  });

  it('are filled up with their last blocks where they end before the next one begins', () => {
    const low = made(width, 72, samplings['4:4:4']);
    const { pixels } = cutOut(
      low,
      parts.map((part) => ({ ...part, top: 0, height: 72 })),
    );
    const rows = (from: number) => [...pixels.data.subarray(4 * 96 * from, 4 * 96 * (from + 8))];
    for (const slot of [0, 96]) {
      for (const fill of [72, 80, 88]) expect(rows(slot + fill)).toEqual(rows(slot + 64));
    }
  });

  it('begin with an MCU, or there is none', async () => {
    const file = await photo({ quality: 85 });
    const aside = [{ left: 8, top: 0, width: 96, height: 96 }];
    expect(runAtOnce(cutOutJpeg(file, jpegOf(file), aside, 96))).toBeNull();
  });
});
