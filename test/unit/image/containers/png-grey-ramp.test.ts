import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { pngChunks } from '../../../../src/image/containers/png-chunks.ts';
import { asGreyRamp } from '../../../../src/image/containers/png-grey-ramp.ts';
import { inspect } from '../../../../src/image/inspect/inspect.ts';
import { displayP3Profile, withPngProfile } from '../../../support/icc.ts';
import { withPngChunk } from '../../../support/pictures.ts';

function ramp(file: Uint8Array): Uint8Array | null {
  const result = inspect(file);
  if (result.kind !== 'image' || result.image.type !== 'png') throw new Error(result.kind);
  return asGreyRamp(file, result.image);
}

function grey(channels: 1 | 2, colours = 256): Promise<Buffer> {
  const data = Buffer.from(
    Uint8Array.from(
      { length: 40 * 30 * channels },
      (_, i) => ((i * 7) % colours) * (255 / (colours - 1)),
    ),
  );
  return sharp(data, { raw: { width: 40, height: 30, channels } })
    .toColourspace('b-w')
    .png()
    .toBuffer();
}

describe('a grey PNG as one with a palette of greys', () => {
  it('shows the same and keeps its data', async () => {
    const file = await grey(1);
    const result = ramp(file);
    if (!result) throw new Error('no ramp');
    expect(result[25]).toBe(3);
    const shown = (png: Uint8Array) => sharp(png).toColourspace('srgb').raw().toBuffer();
    expect(await shown(result)).toEqual(await shown(file));
    const data = (png: Uint8Array) =>
      [...pngChunks(png)].flatMap(({ type, bytes }) =>
        type === 'IDAT' ? [Buffer.from(bytes)] : [],
      );
    expect(data(result)).toEqual(data(file));
  });

  it('has its palette behind the chunks that count only before one', async () => {
    const profiled = withPngProfile(Uint8Array.from(await grey(1)), displayP3Profile());
    const file = withPngChunk(profiled, 'cICP', Uint8Array.of(12, 13, 0, 1));
    const result = ramp(file);
    const types = [...pngChunks(result ?? new Uint8Array())].map(({ type }) => type);
    expect(types.slice(0, 3)).toEqual(['IHDR', 'cICP', 'iCCP']);
    expect(types.indexOf('PLTE')).toBe(types.indexOf('IDAT') - 1);
  });

  it('cannot be made where there is alpha', async () => {
    expect(ramp(await grey(2))).toBeNull();
  });
});
