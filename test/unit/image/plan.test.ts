import { describe, expect, it } from 'vitest';
import type { Inspection } from '../../../src/image/inspect/inspection.ts';
import { arenaCeiling, buffersLimit } from '../../../src/image/memory.ts';
import { defaultOptions, type OptimizeOptions } from '../../../src/image/options.ts';
import { plan } from '../../../src/image/plan.ts';
import type { Source } from '../../../src/image/source.ts';
import { avif, jpeg, png, webp } from '../../support/inspections.ts';

function source(image: Inspection, fileBytes = 100_000, icc: Uint8Array | null = null): Source {
  return { kind: 'source', image, fileBytes, icc };
}

/** Engine and type of each candidate, or why there is none. */
function outline(
  image: Inspection,
  options: Partial<OptimizeOptions> = {},
  icc: Uint8Array | null = null,
) {
  const planned = plan(source(image, 100_000, icc), { ...defaultOptions, ...options });
  if (planned.kind === 'refused') return planned.reason;
  return planned.candidates.map(({ type, job }) => `${job.engine} ${type}`);
}

describe('a plan', () => {
  it('has the original as the last candidate where the format stays', () => {
    expect(outline(jpeg())).toEqual(['raster jpeg', 'original jpeg']);
    expect(outline(png())).toEqual(['oxipng png', 'original png']);
    expect(outline(png(), { format: 'png' })).toEqual(['oxipng png', 'original png']);
    expect(outline(png(), { format: 'webp' })).toEqual(['raster webp']);
  });

  it('does not code a JPEG again at a quality that it does not have any more', () => {
    const coarse = jpeg({ quantizationTables: [new Uint16Array(64).fill(60)] });
    expect(outline(coarse)).toEqual(['original jpeg']);
    expect(outline(coarse, { quality: 5 })).toEqual(['raster jpeg', 'original jpeg']);
    expect(outline(jpeg(), { quality: 'lossless' })).toEqual(['original jpeg']);
  });

  it('tries under auto what the caller can show, its own format first', () => {
    expect(outline(png(), { format: 'auto' })).toEqual([
      'oxipng png',
      'original png',
      'raster webp',
      'raster avif',
    ]);
    const accept = new Set(['webp'] as const);
    expect(outline(png(), { format: 'auto', accept })).toEqual(['raster webp']);
    expect(outline(png(), { format: 'auto', accept: new Set() })).toEqual([
      'oxipng png',
      'original png',
    ]);
  });

  it('leaves out under auto what cannot be, and refuses it by name', () => {
    const wide = png({ width: 17_000, height: 20 });
    expect(outline(wide, { format: 'webp' })).toBe('options');
    expect(outline(wide, { format: 'auto' })).not.toContain('raster webp');
    const deep = png({ bitDepth: 16 });
    expect(outline(deep, { format: 'avif', quality: 'lossless' })).toBe('options');
    expect(outline(deep, { format: 'auto', quality: 'lossless' })).toEqual([
      'oxipng png',
      'original png',
    ]);
  });

  it('keeps animations, inks and foreign colour spaces out of other formats', () => {
    expect(outline(png({ frames: 3 }))).toEqual(['original png']);
    expect(outline(png({ frames: 3 }), { format: 'auto' })).toEqual(['original png']);
    expect(outline(png({ frames: 3 }), { format: 'webp' })).toBe('image');
    expect(outline(jpeg({ colorSpace: 'cmyk' }))).toEqual(['original jpeg']);
    expect(outline(jpeg({ colorSpace: 'ycck' }), { format: 'avif' })).toBe('image');
    const hdr = avif({
      nclx: { primaries: 9, transfer: 16, matrix: 9, fullRange: true },
      bitDepth: 10,
    });
    expect(outline(hdr)).toEqual(['original avif']);
    expect(outline(hdr, { format: 'jpeg' })).toBe('image');
    expect(outline(png({ colorChunk: 'cICP' }), { format: 'webp' })).toBe('image');
    const grey = new Uint8Array(128);
    grey.set(new TextEncoder().encode('GRAY'), 16);
    expect(outline(jpeg({ isGrey: true, colorSpace: 'grey' }), { format: 'webp' }, grey)).toBe(
      'image',
    );
    expect(outline(jpeg({ isGrey: true, colorSpace: 'grey' }), { format: 'png' }, grey)).toEqual([
      'raster png',
    ]);
  });

  it('keeps lossless under auto what came in lossless', () => {
    const qualities = (compression: 'lossy' | 'lossless', quality: OptimizeOptions['quality']) => {
      const planned = plan(source(webp({ compression })), { ...defaultOptions, quality });
      if (planned.kind === 'refused') throw new Error('refused');
      return planned.candidates.map(({ job }) => (job.engine === 'raster' ? job.quality : null));
    };
    expect(qualities('lossless', 'auto')).toEqual(['lossless', null]);
    expect(qualities('lossless', 70)).toEqual([70, null]);
    expect(qualities('lossy', 'auto')).toEqual([86, null]);
    expect(qualities('lossy', 'lossless')).toEqual([null]);
  });

  it('turns pixels only where the tag cannot go on', () => {
    const turns = (image: Inspection, format: OptimizeOptions['format']) => {
      const planned = plan(source(image), { ...defaultOptions, format });
      if (planned.kind === 'refused') throw new Error('refused');
      return planned.candidates.flatMap(({ job }) => (job.engine === 'raster' ? [job.turn] : []));
    };
    expect(turns(jpeg({ orientation: 6 }), 'keep')).toEqual([1]);
    expect(turns(jpeg({ orientation: 6 }), 'webp')).toEqual([6]);
    expect(turns(avif({ rotation: 90, mirror: 'left-right' }), 'keep')).toEqual([7]);
  });

  it('never holds more than the budget, and tells the limit when it would', () => {
    for (const format of ['keep', 'webp', 'avif', 'png'] as const) {
      for (const side of [500, 1500, 2000, 2400, 4000]) {
        const image = jpeg({ width: side, height: side });
        const planned = plan(source(image, side * side * 0.4), { ...defaultOptions, format });
        if (planned.kind === 'refused') {
          if (planned.reason !== 'too-large') throw new Error(planned.reason);
          expect(planned.limitPixels).toBeLessThan(side * side);
          expect(planned.limitPixels).toBeGreaterThan(500_000);
          continue;
        }
        for (const { peak } of planned.candidates) {
          expect(peak.arena).toBeLessThanOrEqual(arenaCeiling);
          expect(peak.buffers + side * side * 0.4).toBeLessThanOrEqual(buffersLimit);
        }
      }
    }
  });

  it('refuses what is not there yet, and takes sizes that change nothing', () => {
    expect(outline(png(), { width: 799 })).toBe('options');
    expect(outline(png(), { width: 800, height: 9000 })).toEqual(['oxipng png', 'original png']);
    expect(outline(jpeg({ orientation: 8 }), { width: 700 })).toEqual([
      'raster jpeg',
      'original jpeg',
    ]);
    expect(outline(png(), { metadata: 'all' })).toBe('options');
  });
});
