import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { sample } from '../../support/pictures.ts';
import { Random } from '../../support/random.ts';

describe('the sample pictures', () => {
  it.each([
    ['photo.jpg', { format: 'jpeg', width: 1600, height: 1067, hasAlpha: false }],
    ['phone.jpg', { format: 'jpeg', width: 4032, height: 3024, hasAlpha: false }],
    ['interface.png', { format: 'png', width: 1280, height: 800, hasAlpha: false }],
    ['logo.png', { format: 'png', width: 512, height: 512, hasAlpha: true }],
  ] as const)('%s is what its name says', async (name, expected) => {
    expect(await sharp(await sample(name)).metadata()).toMatchObject(expected);
  });
});

describe('the generator of random numbers', () => {
  it('gives a seed its own sequence, evenly spread', () => {
    const sequence = (seed: number): number[] => {
      const random = new Random(seed);
      return Array.from({ length: 4000 }, () => random.unit());
    };
    expect(sequence(1)).toEqual(sequence(1));
    expect(sequence(1)).not.toEqual(sequence(2));
    const values = sequence(3);
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean).toBeCloseTo(0.5, 1);
  });
});
