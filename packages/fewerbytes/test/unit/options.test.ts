import { describe, expect, it } from 'vitest';
import { type OptimizeOptions, optionsKey, type SetOptions } from '../../src/options.ts';

describe('the key of options', () => {
  const same: readonly (readonly (OptimizeOptions | SetOptions)[])[] = [
    [
      {},
      { width: undefined },
      { quality: 'auto' },
      { format: 'keep', fit: 'inside', metadata: 'none', animation: 'keep', hdr: 'keep' },
      { placeholder: 'none' },
    ],
    [{ target: 'high' }, { target: 86 }],
    [
      { width: 9, height: 8, fit: 'cover' },
      { position: 'center', fit: 'cover', height: 8, width: 9 },
      { width: 9, height: 8, fit: 'cover', position: '0.5,0.5' },
    ],
    [{ background: '#FFAA00' }, { background: '#ffaa00' }],
    [{ widths: [5] }, { widths: [5], formats: ['keep'], quality: 'auto' }],
    [
      { widths: [5], ratio: '16:9' },
      { widths: [5], ratio: '16:9.0', fit: 'cover', position: 'center' },
    ],
  ];

  it('is the same however they are written, with their defaults or without', () => {
    for (const [first = {}, ...others] of same) {
      for (const other of others) expect(optionsKey(other)).toBe(optionsKey(first));
    }
  });

  it('is another one for others', () => {
    const different: readonly (OptimizeOptions | SetOptions)[] = [
      ...same.map(([first = {}]) => first),
      // `auto` leaves lossless WebP lossless, a target does not
      { target: 'medium' },
      { target: 'medium', maxBytes: 5000 },
      { maxBytes: 5000 },
      { format: 'auto' },
      { format: 'auto', among: ['webp', 'avif'] },
      { format: 'auto', among: ['avif'] },
      { widths: [5, 6] },
      { widths: [5], formats: ['webp'] },
      { widths: [5], ratio: '3:2' },
      { widths: [5], ratio: '16:9', fit: 'fill' },
    ];
    expect(new Set(different.map(optionsKey)).size).toBe(different.length);
  });

  it('names what is no default, in an order of its own', () => {
    expect(optionsKey({ width: 800, quality: 'auto', format: 'webp' })).toBe(
      '[["format","webp"],["width",800]]',
    );
  });
});
