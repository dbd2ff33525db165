import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { joinBytes } from '../../../src/image/container/assemble.ts';
import type { Coding } from '../../../src/image/formats/coding.ts';
import { webpDrainingEncoders, webpRowEncoder } from '../../../src/image/formats/webp/encoders.ts';
import { noMetadata } from '../../../src/image/metadata/metadata.ts';
import { isTransparent, type Raster } from '../../../src/image/pixels/raster.ts';
import { rowsOf } from '../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../src/image/slices.ts';
import { arena } from '../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../src/image/wasm/budgets.ts';
import { isFull } from '../../support/full.ts';
import { difference } from '../../support/pictures.ts';
import { corpusSamples, hasCorpus } from '../../unit/image/formats/samples.ts';
import { libwebpPixels } from '../../unit/image/formats/webp/kernel/libwebp-pictures.ts';
import { pixelsOf } from '../../unit/image/formats/webp/reading.ts';

const samples = corpusSamples().filter(({ name }) => /\.(jpe?g|png|webp)$/.test(name));
/** At length all of them. */
const tried = samples.filter((_, i) => isFull || i % 9 === 0);

/** Of at most so many pixels in width and height; null if sharp does not read it. */
async function rasterOf(file: Uint8Array): Promise<Raster | null> {
  try {
    const { data, info } = await sharp(file)
      .resize(900, 900, { fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, data: new Uint8ClampedArray(data) };
  } catch {
    return null;
  }
}

/** In an arena of what is predicted for a photo; with `drains` in one that holds nothing of the result. */
function made(raster: Raster, coding: Partial<Coding>, drains = false): Uint8Array {
  const shape = { width: raster.width, height: raster.height, hasAlpha: isTransparent(raster) };
  const all = { quality: 86, exact: false, grey: false, icc: null, ...coding };
  const encoder = drains ? webpDrainingEncoders(shape, all)[0] : webpRowEncoder(shape, all);
  if (!encoder) throw new Error('there is no encoder');
  arena.reserve(Math.min(encoder.maxBytes, arenaCeiling));
  const work = encoder.encode(rowsOf(raster), {
    memory: arena,
    appearance: { icc: null, metadata: noMetadata },
    maxBytes: encoder.maxBufferBytes,
    bufferBytes: encoder.maxBufferBytes,
  });
  return joinBytes(...runAtOnce(work).parts);
}

describe.skipIf(!hasCorpus)('pictures of the corpus as WebP', { timeout: 3_600_000 }, () => {
  it('are read alike by both decoders, and look alike', async () => {
    const faults: string[] = [];
    for (const { name, bytes } of tried) {
      const raster = await rasterOf(bytes);
      if (!raster) continue;
      const source = Buffer.from(raster.data);
      for (const quality of [40, 86, 100]) {
        const file = made(raster, { quality });
        const pixels = pixelsOf(file);
        if (!libwebpPixels(file)?.equals(pixels))
          faults.push(`${name} at ${quality}: decoders differ`);
        const isNear = difference(visible(pixels), visible(source)) < (quality < 50 ? 16 : 12);
        if (!isNear && source.length > 4 * 4096) faults.push(`${name} at ${quality} is far off`);
        if (quality !== 86) continue;
        const drained = made(raster, { quality }, true);
        if (Buffer.compare(file, drained) !== 0)
          faults.push(`${name} is not the same when drained`);
      }
    }
    expect(faults).toEqual([]);
  });

  it('keep every sample without loss', async () => {
    const faults: string[] = [];
    for (const { name, bytes } of tried) {
      const raster = await rasterOf(bytes);
      if (!raster) continue;
      const source = Buffer.from(raster.data);
      const exact = made(raster, { quality: 'lossless', exact: true });
      if (!pixelsOf(exact).equals(source)) faults.push(`${name} has other samples`);
      if (!libwebpPixels(exact)?.equals(source))
        faults.push(`${name} has other samples to libwebp`);
      const free = pixelsOf(made(raster, { quality: 'lossless' }));
      if (!visible(free).equals(visible(source))) faults.push(`${name} looks otherwise`);
    }
    expect(faults).toEqual([]);
  });
});

/** Samples without those that nobody sees. */
function visible(pixels: Buffer): Buffer {
  const seen = Buffer.from(pixels);
  for (let i = 0; i < seen.length; i += 4) if (seen[i + 3] === 0) seen.fill(0, i, i + 4);
  return seen;
}
