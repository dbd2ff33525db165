import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { powerFunction } from '../../../src/image/color/curves.ts';
import { rgbProfile } from '../../../src/image/color/icc-writer.ts';
import { bt709, primariesOf } from '../../../src/image/color/primaries.ts';
import { inspect } from '../../../src/image/formats/registry.ts';
import { iccProfile } from '../../support/profile-of.ts';
import { colorOf } from '../../unit/image/color/inspections.ts';
import { corpus } from '../../unit/image/formats/samples.ts';

function read(file: Uint8Array) {
  const result = inspect(file);
  if (result.kind !== 'image') return null;
  return { image: result.image, color: colorOf(result.image, iccProfile(result.image, file)) };
}

function sample(...name: string[]) {
  const found = read(readFileSync(join(corpus, ...name)));
  if (!found) throw new Error(`not an image: ${name}`);
  return found;
}

const power = (exponent: number) =>
  rgbProfile({ primaries: bt709, curve: powerFunction(exponent) });

describe.skipIf(!process.env.CORPUS)('the PNG suite', () => {
  // the gamma is in the name: 03 is 0.35, 07 is 0.7, 25 is 2.5; 0.45 stands for sRGB
  it.each([
    ['g03', 0.35],
    ['g05', 0.55],
    ['g07', 0.7],
    ['g10', 1],
    ['g25', 2.5],
  ])('%s has a profile of gamma %d', (name, gamma) => {
    for (const kind of ['n2c08', 'n3p04']) {
      const { image, color } = sample('pngsuite', `${name}${kind}.png`);
      expect(image).toMatchObject({ colorChunk: 'gAMA', gamma });
      expect(color).toMatchObject({ profile: power(1 / gamma), space: 'rgb', nearLinear: null });
    }
    const grey = sample('pngsuite', `${name}n0g16.png`).color;
    expect(grey.space).toBe('grey');
    expect(grey.nearLinear).toEqual(gamma >= 0.7 ? { profile: null } : null);
  });

  it.each(['g04n0g16', 'g04n2c08', 'g04n3p04', 'exif2c08'])('%s is sRGB', (name) => {
    const { color } = sample('pngsuite', `${name}.png`);
    expect(color).toMatchObject({ profile: null, obstacle: null });
  });

  it('has primaries in the files ccw', () => {
    const { image, color } = sample('pngsuite', 'ccwn2c08.png');
    expect(image).toMatchObject({ chromaticities: bt709, gamma: 1 });
    expect(color.profile).toEqual(power(1));
  });
});

describe.skipIf(!process.env.CORPUS)('AVIFs', () => {
  it.each([
    ['colors_hdr_p3', 'hdr'],
    ['colors_hdr_rec2020', 'hdr'],
    ['seine_hdr_rec2020', 'hdr'],
    ['supported_gainmap_writer_version_with_extra_bytes', 'hdr'],
    ['kodim23_yuv420_8bpc', null],
  ])('%s: obstacle %s', (name, obstacle) => {
    expect(sample('avif', `${name}.avif`).color).toMatchObject({ profile: null, obstacle });
  });

  it('of BT.2020 and linear, of gamma 2.2', () => {
    const primaries = primariesOf(9) ?? bt709;
    const { color } = sample('avif', 'colors_text_wcg_sdr_rec2020.avif');
    expect(color.profile).toEqual(rgbProfile({ primaries, curve: powerFunction(1) }));
    expect(sample('avif', 'draw_points_idat.avif').color.profile).toEqual(power(2.2));
  });
});
