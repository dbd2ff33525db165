import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { readSource } from '../../../../../src/image/pipeline/read-source.ts';
import { Samples } from '../../../../../src/image/pipeline/target/samples.ts';
import { decodedFile } from '../../../../../src/image/pipeline/target/trials.ts';
import type { Region } from '../../../../../src/image/pixels/raster.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { sample } from '../../../../support/pictures.ts';

const steps = { target: null, turn: 1, background: null, toSrgb: false } as const;
const cutOut = { kind: 'cut-out', tiles: 5 } as const;

async function samplesOf(name: string) {
  const file = await sample(name);
  const source = readSource(file);
  if (source.kind !== 'source') throw new Error(source.kind);
  return { file, samples: new Samples(file, source) };
}

function taken(samples: Samples, sampling: Parameters<Samples['of']>[1]) {
  const made = runAtOnce(samples.of(steps, sampling));
  if ('reason' in made) throw new Error(made.reason);
  return made;
}

/** Samples of a part of a raster. */
function part(
  { width, data }: { readonly width: number; readonly data: Uint8ClampedArray },
  { left, top, width: across, height }: Region,
) {
  return Array.from({ length: height }, (_, y) => [
    ...data.subarray(4 * ((top + y) * width + left), 4 * ((top + y) * width + left + across)),
  ]);
}

describe('a sample that is cut out of a file', () => {
  it('has the pixels that the picture has in its cores', { tags: 'slow' }, async () => {
    const { file, samples } = await samplesOf('photo.jpg');
    const { mosaic, raster } = taken(samples, cutOut);
    const whole = runAtOnce(decodedFile(file));
    expect(mosaic.tiles.length).toBe(5);
    expect([raster.width, raster.height]).toEqual([mosaic.width, mosaic.height]);
    for (const [i, { region, core }] of mosaic.tiles.entries()) {
      const before = { ...core, left: region.left + core.left, top: region.top + core.top };
      const after = { ...core, top: i * mosaic.slotHeight + core.top };
      expect(part(raster, after)).toEqual(part(whole, before));
    }
  });

  it('is the file that is recoded, too', { tags: 'slow' }, async () => {
    const { samples } = await samplesOf('photo.jpg');
    const made = taken(samples, cutOut);
    const file = runAtOnce(samples.fileOf(made));
    expect(file?.length).toBeGreaterThan(1_000);
    expect(runAtOnce(samples.fileOf(taken(samples, cutOut)))).toBe(file);
    samples.end();
    expect(file?.buffer.detached).toBe(true);
  });

  it('is chosen at full size where a format does not halve any', { tags: 'slow' }, async () => {
    const photo = sharp(await sample('photo.jpg')).resize(1000);
    const file = Uint8Array.from(await photo.gif({ dither: 0 }).toBuffer());
    const source = readSource(file);
    if (source.kind !== 'source') throw new Error(source.kind);
    const { mosaic, raster } = taken(new Samples(file, source), cutOut);
    const whole = runAtOnce(decodedFile(file));
    for (const [i, { region }] of mosaic.tiles.entries()) {
      expect(part(raster, { ...region, left: 0, top: i * mosaic.slotHeight })).toEqual(
        part(whole, region),
      );
    }
    // chosen by what lies there: not all from the upper left quarter
    expect(mosaic.tiles.some(({ region }) => region.left > 500)).toBe(true);
    expect(mosaic.tiles.some(({ region }) => region.top > whole.height / 2 - 160)).toBe(true);
  });

  it('is gathered from its pixels where a format has no such parts', async () => {
    const { samples } = await samplesOf('interface.png');
    const { mosaic, raster, file } = taken(samples, cutOut);
    expect(file).toBeUndefined();
    expect(raster.height).toBe(mosaic.height);
  });
});
