import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../../../src/image/wasm/budgets.ts';
import { itForEach } from '../../../../support/each.ts';
import type { Factors } from '../../../../support/jpeg-maker/content.ts';
import { decodedJxl } from '../../../../support/jxl.ts';
import { drawing } from '../jpeg/drawing.ts';
import { layouts, made, samplings } from '../jpeg/made-jpegs.ts';
import { recoded } from '../jpeg/recoding.ts';
import {
  shownPixels,
  transcoded,
  withoutRoomForResult,
  withoutRoomForTokens,
} from './transcoding.ts';

const named = Object.entries<Factors>(samplings).filter(([, factors]) =>
  factors.flat().every((factor) => factor <= 2),
);

/** Decoders differ by one here and there, since they calculate in single precision. */
async function expectShown(jxl: Uint8Array, jpeg: Uint8Array<ArrayBuffer>, what: string) {
  const { data, channels } = await decodedJxl(jxl);
  const shown = shownPixels(jpeg);
  const expected = channels === 1 ? shown.filter((_, i) => i % 3 === 0) : shown;
  expect(data.length, what).toBe(expected.length);
  let largest = 0;
  let differing = 0;
  for (const [i, sample] of data.entries()) {
    const off = Math.abs(sample - (expected[i] ?? 0));
    largest = Math.max(largest, off);
    if (off > 0) differing += 1;
  }
  expect(largest, what).toBeLessThanOrEqual(1);
  expect(differing / data.length, what).toBeLessThan(0.02);
}

/** A picture that can be quantized more coarsely. */
async function drawnJpeg(width: number, height: number): Promise<Uint8Array<ArrayBuffer>> {
  const { data, ...size } = drawing(width, height);
  const picture = sharp(data, { raw: { ...size, channels: 3 } });
  return new Uint8Array(await picture.jpeg({ quality: 95 }).toBuffer());
}

describe('a JPEG as JPEG XL', () => {
  beforeAll(() => arena.reserve(arenaCeiling));

  it.each(named)('shows its coefficients: %s', { tags: 'slow' }, async (_name, factors) => {
    for (const [layout, contentOf] of Object.entries(layouts)) {
      const file = made(83, 57, factors, contentOf(factors.length));
      await expectShown(transcoded(file), file, layout);
    }
  });

  it.each(named)('does so at any size: %s', { tags: 'slow' }, async (_name, factors) => {
    for (const [width, height] of [
      [1, 1],
      [1, 40],
      [40, 1],
      [33, 16],
      // more than one group, and in one of them a single column
      [257, 270],
    ] as const) {
      const file = made(width, height, factors);
      await expectShown(transcoded(file), file, `${width} × ${height}`);
    }
  });

  it('does so in more than one group of low frequencies', { tags: 'slow' }, async () => {
    const file = made(2100, 40, samplings['4:2:0']);
    await expectShown(transcoded(file), file, '2100 × 40');
  });

  itForEach(named, 'does so where its coefficients are not kept: %s', async (_name, factors) => {
    const file = made(83, 570, factors);
    await expectShown(transcoded(file, { change: withoutRoomForTokens }), file, 'streamed');
  });

  it('does so where its coefficients have been kept for nothing', async () => {
    const file = made(200, 600, samplings['4:2:0']);
    await expectShown(transcoded(file, { change: withoutRoomForResult }), file, 'again');
  });

  it('is the same whether coefficients are kept or not, once they are quantized anew', async () => {
    const file = await drawnJpeg(300, 600);
    const kept = transcoded(file, { quality: 60 });
    expect(transcoded(file, { quality: 60, change: withoutRoomForTokens })).toEqual(kept);
  });

  itForEach([60, 20, 90], 'has the coefficients of the JPEG of quality %d', async (quality) => {
    const file = await drawnJpeg(300, 280);
    const jpeg = recoded(file, quality) as Uint8Array<ArrayBuffer>;
    await expectShown(transcoded(file, { quality }), jpeg, `quality ${quality}`);
  });

  it('takes fewer bytes than the JPEG', async () => {
    const file = await drawnJpeg(300, 280);
    expect(transcoded(file).length).toBeLessThan(0.95 * recoded(file).length);
    const jpeg = recoded(file, 60);
    expect(transcoded(file, { quality: 60 }).length).toBeLessThan(0.95 * jpeg.length);
  });
});
