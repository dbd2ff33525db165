import sharp from 'sharp';
import { expect, it } from 'vitest';
import { optimize } from '../../../support/engine.ts';
import { gammaCurve, matrixProfile, withPngProfile } from '../../../support/icc.ts';
import { lutProfile, table, xyzCodes } from '../../../support/lut-profiles.ts';

/** A profile without curves: a table in which light is this power of the code. */
function tableOf(power: number): Uint8Array {
  const A2B0 = table(16, {
    ...{ inputs: 3, outputs: 3, points: 2, entries: 1024 },
    before: (code) => code ** power,
    codes: ([r = 0, g = 0, b = 0]) =>
      xyzCodes([
        0.436 * r + 0.385 * g + 0.143 * b,
        0.222 * r + 0.717 * g + 0.061 * b,
        0.014 * r + 0.097 * g + 0.714 * b,
      ]),
  });
  const tags = { A2B0 };
  return lutProfile({ space: 'RGB ', connection: 'XYZ ', deviceClass: 'mntr', tags });
}

/** Black and white pixels in turn. */
async function checks(profile: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const side = 64;
  const data = Uint8Array.from({ length: 3 * side * side }, (_, i) => {
    const [x, y] = [Math.floor(i / 3) % side, Math.floor(i / 3 / side)];
    return (x + y) % 2 === 0 ? 255 : 0;
  });
  const raw = { width: side, height: side, channels: 3 } as const;
  return withPngProfile(await sharp(data, { raw }).png().toBuffer(), profile);
}

it.each([
  ['a table of gamma 1.8', tableOf(1.8), 1.8],
  ['a table of gamma 3', tableOf(3), 3],
  [
    'curves of gamma 1.8',
    matrixProfile({ name: 'x', primaries: 'srgb', curve: gammaCurve(1.8) }),
    1.8,
  ],
])('pictures are reduced in the light of their profile: %s', async (_name, profile, gamma) => {
  const { bytes } = optimize(await checks(profile), { width: 8, format: 'png' });
  const { data } = await sharp(bytes, { ignoreIcc: true })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const middle = data[3 * (8 * 4 + 4)] ?? 0;
  expect(Math.abs(middle - 255 * 0.5 ** (1 / gamma))).toBeLessThan(4);
});
