import { describe, expect, it } from 'vitest';
import {
  allConfigurations,
  nameOf,
  nameOfGroup,
  requestGroups,
  usualConfigurations,
} from '../../../../bench/service/memory/configurations.ts';

describe('the configurations whose memory is measured', () => {
  it('have the largest picture of every kind to every format, and reduced', () => {
    const largest = usualConfigurations().filter(
      ({ megapixels, query }) => megapixels === 'largest' && query.format !== undefined,
    );
    const pairs = largest.map(({ kind, query }) => `${kind} ${query.format} ${query.width ?? ''}`);
    for (const kind of ['JPEG', 'progressive JPEG', 'PNG', 'PNG, RGBA', 'WebP', 'AVIF']) {
      for (const format of ['jpeg', 'png', 'webp', 'avif']) {
        expect(pairs).toContain(`${kind} ${format} `);
      }
      expect(pairs).toContain(`${kind} webp 800`);
      expect(pairs).toContain(`${kind} avif 800`);
    }
  });

  it('have names of their own, but for the size of the picture', () => {
    for (const configurations of [usualConfigurations(), allConfigurations()]) {
      const names = configurations.map((one) => `${nameOf(one)} ${one.megapixels}`);
      expect(names).toEqual([...new Set(names)]);
    }
  });

  it('come together as well: in turn, and at once', () => {
    expect(requestGroups().map(nameOfGroup)).toEqual([
      '2 in turn: 2 × detailed JPEG → keep, quality=lossless',
      '2 in turn: WebP → webp; detailed JPEG → keep, quality=lossless',
      '4 at once: 4 × JPEG → keep',
      '4 at once: 4 × JPEG → webp, 800 px',
      '4 at once: 4 × JPEG → keep',
      '4 at once: JPEG → keep; PNG → keep; WebP → keep; JPEG → avif',
    ]);
  });

  it('are called by what they do', () => {
    const [kept, ...others] = usualConfigurations().map(nameOf);
    expect(kept).toBe('JPEG → keep');
    expect(others).toContain('JPEG → webp, 800 px');
    expect(others).toContain('JPEG → keep, quality=lossless');
  });
});
