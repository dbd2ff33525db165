import { describe, expect, it } from 'vitest';
import type { OutputType } from '../../../../src/image/formats/facts.ts';
import type { SourceImage } from '../../../../src/image/formats/registry.ts';
import { defaultOptions, type OptimizeOptions } from '../../../../src/image/pipeline/options.ts';
import { plan } from '../../../../src/image/pipeline/plan.ts';
import { usualQuality } from '../../../../src/image/pipeline/quality.ts';
import { arenaCeiling, buffersLimit } from '../../../../src/image/wasm/budgets.ts';
import { displayP3Profile, emptyProfile, greyProfile } from '../../../support/icc.ts';
import {
  avif,
  deepAvif,
  gif,
  inkJpeg,
  jpeg,
  png,
  sourceOf,
  webp,
} from '../../../support/inspections.ts';

/** Kind and type of each candidate, or why there is none. */
function outline(
  image: SourceImage,
  options: Partial<OptimizeOptions> = {},
  icc: Uint8Array | null = null,
) {
  const planned = plan(sourceOf(image, 100_000, icc), { ...defaultOptions, ...options });
  if (planned.kind === 'refused') return planned.reason;
  return planned.candidates.map(({ kind, type }) => `${kind} ${type}`);
}

describe('a plan', () => {
  it('has the original as the last candidate where the format stays', () => {
    expect(outline(webp())).toEqual(['encode webp', 'passthrough webp']);
    expect(outline(webp(), { format: 'webp' })).toEqual(['encode webp', 'passthrough webp']);
    expect(outline(webp(), { format: 'png' })).toEqual(['encode png']);
  });

  it('has one candidate for a PNG that stays one, which keeps its colours where that is asked for or needed', () => {
    const candidate = (image: SourceImage, options: Partial<OptimizeOptions> = {}) => {
      const planned = plan(sourceOf(image), { ...defaultOptions, ...options });
      const candidates = planned.kind === 'refused' ? [] : planned.candidates;
      return candidates.map((candidate) =>
        candidate.kind === 'recode' ? [candidate.quality, candidate.exact, candidate.isAlone] : [],
      );
    };
    expect(candidate(png())).toEqual([[usualQuality('png', 77), false, true]]);
    expect(candidate(png(), { quality: 40, format: 'png' })).toEqual([[40, false, true]]);
    expect(candidate(png(), { quality: 100 })).toEqual([['lossless', false, true]]);
    expect(candidate(png(), { quality: 'lossless' })).toEqual([['lossless', true, true]]);
    const hlg = { primaries: 9, transfer: 18, fullRange: true };
    expect(candidate(png({ colorChunk: 'cICP', cicp: hlg }))).toEqual([['lossless', false, true]]);
    // 8 bits of linear light: codes near black are far apart
    const linear = png({ colorChunk: 'gAMA', gamma: 1 });
    expect(candidate(linear)).toEqual([['lossless', false, true]]);
    const [[, , isAlone] = []] = candidate(png(), { format: 'auto' });
    expect(isAlone).toBe(false);
  });

  it('has one candidate for a JPEG that stays one: the file makes way for its result', () => {
    expect(outline(jpeg())).toEqual(['recode jpeg']);
    expect(outline(inkJpeg())).toEqual(['recode jpeg']);
    expect(outline(jpeg(), { format: 'auto' })).toEqual([
      'recode jpeg',
      'encode webp',
      'encode avif',
    ]);
    const isAlone = (format: OptimizeOptions['format']) => {
      const planned = plan(sourceOf(jpeg()), { ...defaultOptions, format });
      const [first] = planned.kind === 'refused' ? [] : planned.candidates;
      return first?.kind === 'recode' && first.isAlone;
    };
    expect([isAlone('keep'), isAlone('jpeg'), isAlone('auto')]).toEqual([true, true, false]);
  });

  it('does not code a JPEG again at a quality that it does not have any more', () => {
    const quality = (image: SourceImage, options: Partial<OptimizeOptions> = {}) => {
      const planned = plan(sourceOf(image), { ...defaultOptions, ...options });
      const [first] = planned.kind === 'refused' ? [] : planned.candidates;
      return first?.kind === 'recode' ? first.quality : null;
    };
    const coarse = jpeg({ quantizationTables: [new Uint16Array(64).fill(60)] });
    expect(quality(coarse)).toBe('lossless');
    expect(quality(coarse, { quality: 5 })).toBe(5);
    expect(quality(jpeg())).toBe(usualQuality('jpeg', 77));
    expect(quality(jpeg(), { quality: 'lossless' })).toBe('lossless');
  });

  it('tries under auto what the caller can show, its own format first', () => {
    expect(outline(png(), { format: 'auto' })).toEqual([
      'recode png',
      'encode webp',
      'encode avif',
    ]);
    const accept = new Set(['webp'] as const);
    expect(outline(png(), { format: 'auto', accept })).toEqual(['encode webp']);
    expect(outline(png(), { format: 'auto', accept: new Set() })).toEqual(['recode png']);
  });

  it('tries under auto the types that it shall choose among, and no other', () => {
    const auto = (image: SourceImage, ...types: OutputType[]) =>
      outline(image, { format: 'auto', among: new Set(types) });
    expect(auto(png(), 'webp', 'jpeg')).toEqual(['encode webp', 'encode jpeg']);
    expect(auto(png(), 'webp', 'png')).toEqual(['recode png', 'encode webp']);
    expect(auto(webp(), 'webp')).toEqual(['encode webp', 'passthrough webp']);
    expect(auto(png(), 'jxl', 'webp')).toEqual(['encode webp']);
    expect(auto(png(), 'jxl')).toBe('options');
    expect(auto(png(), 'gif')).toBe('options');
    expect(auto(png({ width: 17_000, height: 20 }), 'webp')).toBe('options');
    expect(auto(png({ width: 17_000, height: 20 }), 'webp', 'jpeg')).toEqual(['encode jpeg']);
    expect(auto(inkJpeg(), 'webp', 'jpeg')).toEqual(['recode jpeg', 'encode webp']);
    expect(auto(inkJpeg(), 'webp')).toEqual(['encode webp']);
    // they count under auto alone
    expect(outline(png(), { among: new Set(['webp']) })).toEqual(['recode png']);
  });

  it('chooses for an animation among the types that move', () => {
    const auto = (image: SourceImage, ...types: OutputType[]) =>
      outline(image, { format: 'auto', among: new Set(types) });
    const moving = png({ frames: 3 });
    expect(auto(moving, 'jpeg', 'webp')).toEqual(['animate webp']);
    expect(auto(moving, 'webp', 'png')).toEqual(['animate png', 'animate webp', 'passthrough png']);
    expect(auto(moving, 'jpeg', 'avif')).toBe('image');
    expect(auto(avif({ frames: 3 }), 'avif', 'webp')).toEqual(['passthrough avif']);
    expect(auto(avif({ frames: 3 }), 'jpeg')).toBe('image');
  });

  it('lets the file make way where there is one type to choose, as where it is named', () => {
    const isAlone = (...types: OutputType[]) => {
      const options = { ...defaultOptions, format: 'auto', among: new Set(types) } as const;
      const planned = plan(sourceOf(jpeg()), options);
      const [first] = planned.kind === 'refused' ? [] : planned.candidates;
      return first?.kind === 'recode' && first.isAlone;
    };
    expect([isAlone('jpeg'), isAlone('jpeg', 'webp')]).toEqual([true, false]);
  });

  it('makes a transparent still anew that is laid on a background in its own format', () => {
    const flat = { background: [255, 255, 255], flattens: true } as const;
    expect(outline(png({ hasAlpha: true }), flat)).toEqual(['encode png']);
    expect(outline(webp({ hasAlpha: true }), flat)).toEqual(['encode webp']);
    expect(outline(avif({ hasAlpha: true }), flat)).toEqual(['encode avif']);
    expect(outline(gif({ hasAlpha: true }), flat)).toEqual(['animate gif']);
    expect(outline(png({ hasAlpha: true }), { ...flat, format: 'auto' })).toEqual([
      'encode png',
      'encode webp',
      'encode avif',
    ]);
    for (const image of [png(), webp(), jpeg(), gif(), png({ hasAlpha: true, frames: 3 })]) {
      expect(outline(image, flat)).toEqual(outline(image));
    }
    for (const options of [{ flattens: true }, { background: flat.background }]) {
      expect(outline(png({ hasAlpha: true }), options)).toEqual(['recode png']);
    }
  });

  it('leaves out under auto what cannot be, and refuses it by name', () => {
    const wide = png({ width: 17_000, height: 20 });
    expect(outline(wide, { format: 'webp' })).toBe('options');
    expect(outline(wide, { format: 'auto' })).not.toContain('encode webp');
    const deep = png({ bitDepth: 16 });
    expect(outline(deep, { format: 'avif', quality: 'lossless' })).toBe('options');
    expect(outline(deep, { format: 'auto', quality: 'lossless' })).toEqual(['recode png']);
  });

  it('keeps animations and foreign colour spaces out of other formats', () => {
    const moving = png({ frames: 3 });
    expect(outline(moving)).toEqual(['animate png', 'passthrough png']);
    const auto = ['animate png', 'animate webp', 'passthrough png'];
    expect(outline(moving, { format: 'auto' })).toEqual(auto);
    expect(outline(moving, { format: 'webp' })).toEqual(['animate webp']);
    expect(outline(moving, { format: 'jpeg' })).toBe('image');
    expect(outline(moving, { format: 'avif' })).toBe('image');
    expect(outline(avif({ frames: 3 }))).toEqual(['passthrough avif']);
    expect(outline(avif({ frames: 3 }), { format: 'webp' })).toBe('image');
    const hdr = avif({
      nclx: { primaries: 9, transfer: 16, matrix: 9, fullRange: true },
      bitDepth: 10,
    });
    expect(outline(hdr)).toEqual(['passthrough avif']);
    expect(outline(hdr, { format: 'jpeg' })).toBe('image');
    const deepHdr = { primaries: 9, transfer: 18, fullRange: true };
    const hlg = png({ colorChunk: 'cICP', cicp: deepHdr });
    expect(outline(hlg, { format: 'webp' })).toBe('image');
    expect(outline(hlg, { width: 400 })).toBe('image');
    expect(outline(hlg)).toEqual(['recode png']);
  });

  it('brings inks to sRGB in another format or size', () => {
    for (const colorSpace of ['cmyk', 'ycck'] as const) {
      const source = sourceOf(inkJpeg({ colorSpace }), 100_000, emptyProfile('CMYK'));
      for (const options of [{ format: 'avif' }, { format: 'jxl' }, { width: 400 }] as const) {
        const planned = plan(source, { ...defaultOptions, ...options });
        const [first] = planned.kind === 'refused' ? [] : planned.candidates;
        expect(first).toMatchObject({ kind: 'encode', grey: false, icc: null });
        expect(first).toHaveProperty('pixels.toSrgb', true);
        expect(first).toHaveProperty('search');
      }
    }
    expect(outline(inkJpeg(), { format: 'webp', quality: 'lossless' })).toBe('options');
  });

  it('keeps grey in one component under a grey profile, and brings it to sRGB where none can be', () => {
    const grey = jpeg({ isGrey: true, colorSpace: 'grey' });
    const candidate = (format: OptimizeOptions['format'], icc: Uint8Array | null) => {
      const planned = plan(sourceOf(grey, 100_000, icc), { ...defaultOptions, format });
      const [first] = planned.kind === 'refused' ? [] : planned.candidates;
      if (first?.kind !== 'encode') throw new Error('not encoded');
      return first;
    };
    expect(candidate('png', greyProfile())).toMatchObject({ grey: true, icc: greyProfile() });
    expect(candidate('png', greyProfile()).pixels.toSrgb).toBe(false);
    expect(candidate('webp', greyProfile())).toMatchObject({ grey: false, icc: null });
    expect(candidate('webp', greyProfile()).pixels.toSrgb).toBe(true);
    // Browsers ignore a profile without a curve.
    expect(candidate('avif', emptyProfile('GRAY'))).toMatchObject({ grey: false, icc: null });
    expect(candidate('avif', displayP3Profile()).icc).toEqual(displayP3Profile());
    expect(candidate('png', displayP3Profile())).toMatchObject({ grey: false });
    expect(candidate('png', null)).toMatchObject({ grey: true, icc: null });
  });

  it('keeps lossless under auto what came in lossless', () => {
    const qualities = (compression: 'lossy' | 'lossless', quality: OptimizeOptions['quality']) => {
      const planned = plan(sourceOf(webp({ compression })), { ...defaultOptions, quality });
      if (planned.kind === 'refused') throw new Error('refused');
      return planned.candidates.map((one) => (one.kind === 'encode' ? one.quality : null));
    };
    expect(qualities('lossless', 'auto')).toEqual(['lossless', null]);
    expect(qualities('lossless', 70)).toEqual([70, null]);
    expect(qualities('lossy', 'auto')).toEqual([usualQuality('webp', 77), null]);
    expect(qualities('lossy', 'lossless')).toEqual([null]);
  });

  it('turns pixels only where the tag cannot go on', () => {
    const turns = (image: SourceImage, format: OptimizeOptions['format']) => {
      const planned = plan(sourceOf(image), { ...defaultOptions, format });
      if (planned.kind === 'refused') throw new Error('refused');
      return planned.candidates.flatMap((one) => (one.kind === 'encode' ? [one.pixels.turn] : []));
    };
    expect(turns(webp({ orientation: 6 }), 'keep')).toEqual([1]);
    expect(turns(jpeg({ orientation: 6 }), 'webp')).toEqual([6]);
    expect(turns(avif({ rotation: 90, mirror: 'left-right' }), 'keep')).toEqual([7]);
  });

  it('never holds more than the budget, and tells the limit when it would', () => {
    for (const format of ['keep', 'webp', 'avif', 'png'] as const) {
      for (const side of [500, 1500, 2000, 2400, 4000]) {
        const image = jpeg({ width: side, height: side });
        const planned = plan(sourceOf(image, side * side * 0.4), { ...defaultOptions, format });
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

  it('tells how many pixels fit beside a long file that its decoder holds', () => {
    const { coding, ...described } = deepAvif({ width: 2400, height: 1000 });
    const image = { ...described, coding: { ...coding, longestBytes: 20_000_000 } };
    const options = { ...defaultOptions, format: 'webp' } as const;
    const refused = plan(sourceOf(image, 20_000_000), options);
    if (refused.kind !== 'refused' || refused.reason !== 'too-large') throw new Error(refused.kind);
    expect(refused.limitPixels).toBeGreaterThan(1_800_000);
    expect(refused.limitPixels).toBeLessThan(2_400_000);
    expect(plan(sourceOf(image, 10_000_000), options).kind).toBe('planned');
  });

  it('takes sizes that change nothing for what they are', () => {
    expect(outline(png(), { width: 800, height: 9000 })).toEqual(['recode png']);
    expect(outline(jpeg({ orientation: 8 }), { width: 700 })).toEqual(['recode jpeg']);
  });

  it('codes a reduced picture anew, in no better quality than a coarse source still has', () => {
    const quality = (image: SourceImage, options: Partial<OptimizeOptions>) => {
      const planned = plan(sourceOf(image), { ...defaultOptions, ...options });
      if (planned.kind === 'refused') return planned.reason;
      return planned.candidates.map((one) => (one.kind === 'encode' ? one.quality : null));
    };
    const coarse = jpeg({ quantizationTables: [new Uint16Array(64).fill(60)] });
    expect(quality(jpeg(), { width: 700 })).toEqual([usualQuality('jpeg', 77)]);
    expect(Number(quality(coarse, { width: 700 })[0])).toBeLessThan(70);
    // the damage is gone with the pixels
    expect(quality(coarse, { width: 300 })).toEqual([usualQuality('jpeg', 77)]);
    expect(quality(jpeg(), { width: 700, quality: 'lossless' })).toBe('options');
    expect(quality(png(), { width: 700, quality: 'lossless' })).toEqual(['lossless']);
    expect(quality(png({ bitDepth: 16 }), { width: 700, quality: 'lossless' })).toBe('options');
  });

  it('keeps a WebP as it is whose side no encoder writes', () => {
    const wide = webp({ width: 16_384, height: 2, compression: 'lossless' });
    expect(outline(wide)).toEqual(['passthrough webp']);
    expect(outline(wide, { format: 'auto' })).toEqual(['passthrough webp', 'encode avif']);
    expect(outline(wide, { width: 16_383 })).toEqual(['encode webp']);
  });

  it('brings a grey AVIF under a grey profile to sRGB, profile and samples', () => {
    const planned = plan(
      sourceOf(avif({ isGrey: true, chroma: '400' }), 100_000, greyProfile()),
      defaultOptions,
    );
    const [first] = planned.kind === 'refused' ? [] : planned.candidates;
    if (first?.kind !== 'encode') throw new Error('not encoded');
    expect([first.icc, first.pixels.toSrgb]).toEqual([null, true]);
  });

  it.each(['webp', 'avif'] as const)(
    'takes a picture to %s whose pixels do not fit: they flow',
    (format) => {
      const large = png({ width: 6000, height: 4000 });
      expect(outline(large, { format })).toEqual([`encode ${format}`]);
    },
  );

  it('takes a larger picture when it is to become small', () => {
    const large = { width: 16_000, height: 7000, hasAlpha: true };
    expect(outline(png(large), { format: 'webp' })).toBe('too-large');
    expect(outline(png(large), { format: 'webp', width: 800 })).toEqual(['encode webp']);
    // memory would do, but not time
    expect(outline(png({ width: 12_001, height: 10_000 }), { width: 800 })).toBe('too-large');
  });
});

describe('JPEG XL', () => {
  const refusal = (image: SourceImage, options: Partial<OptimizeOptions> = {}) => {
    const planned = plan(sourceOf(image), { ...defaultOptions, format: 'jxl', ...options });
    return planned.kind === 'refused' ? planned : null;
  };
  const first = (image: SourceImage, options: Partial<OptimizeOptions> = {}) => {
    const planned = plan(sourceOf(image), { ...defaultOptions, format: 'jxl', ...options });
    const [candidate] = planned.kind === 'refused' ? [] : planned.candidates;
    if (!candidate || candidate.kind === 'passthrough') throw new Error('refused');
    return candidate;
  };
  const accept = new Set(['jpeg', 'webp', 'jxl'] as const);

  it('is made of the coefficients of a JPEG, or of its pixels where it is reduced', () => {
    expect(outline(jpeg(), { format: 'jxl' })).toEqual(['recode jxl']);
    expect(outline(jpeg({ orientation: 6 }), { format: 'jxl' })).toEqual(['recode jxl']);
    expect(outline(jpeg({ isGrey: true, colorSpace: 'grey' }), { format: 'jxl' })).toEqual([
      'recode jxl',
    ]);
    expect(outline(jpeg(), { format: 'jxl', width: 800 })).toEqual(['recode jxl']);
    expect(outline(jpeg(), { format: 'jxl', width: 700 })).toEqual(['encode jxl']);
  });

  it('keeps all coefficients where that is asked for, or the JPEG has no more quality to give', () => {
    expect(first(jpeg()).quality).toBe(usualQuality('jxl', 77));
    expect(first(jpeg(), { quality: 60 }).quality).toBe(60);
    expect(first(jpeg(), { quality: 'lossless' }).quality).toBe('lossless');
    const coarse = jpeg({ quantizationTables: [new Uint16Array(64).fill(60)] });
    expect(first(coarse, { quality: 75 }).quality).toBe('lossless');
    expect(refusal(jpeg(), { quality: 'lossless', width: 700 })?.reason).toBe('options');
  });

  it('is made of nothing else', () => {
    const still = 'Only a JPEG can become JPEG XL: choose another format.';
    for (const image of [png(), webp(), avif(), gif()]) {
      for (const size of [{}, { width: 400 }]) {
        expect(refusal(image, size)).toMatchObject({ reason: 'options', detail: still });
      }
    }
    const first = png({ frames: 1, isFirstOnly: true });
    expect(refusal(first)).toMatchObject({ reason: 'options', detail: still });
    expect(refusal(gif({ frames: 3 }))).toMatchObject({
      reason: 'image',
      detail: expect.stringContaining('animation=first in another format'),
    });
  });

  it.each<[string, Parameters<typeof jpeg>[0]]>([
    ['RGB', { colorSpace: 'rgb' }],
    [
      'of 4:1:1',
      {
        components: jpeg().components.map((one, c) => ({
          ...one,
          horizontal: c === 0 ? 4 : 1,
          vertical: 1,
        })),
      },
    ],
  ])('is not made of a JPEG that is %s, which auto passes over', (_name, changes) => {
    const image = jpeg(changes);
    expect(refusal(image)?.reason).toBe('image');
    expect(outline(image, { format: 'auto', accept })).not.toContain('recode jxl');
    const alone = { format: 'auto', accept: new Set(['jxl'] as const) } as const;
    expect(outline(image, alone)).toEqual(['recode jpeg']);
  });

  it('is tried under auto where it is accepted, for JPEGs', () => {
    expect(outline(jpeg(), { format: 'auto', accept })).toEqual([
      ...['recode jpeg', 'encode webp', 'recode jxl'],
    ]);
    expect(outline(jpeg(), { format: 'auto', accept, width: 700 })).toEqual([
      ...['encode jpeg', 'encode webp', 'encode jxl'],
    ]);
    expect(outline(png(), { format: 'auto', accept })).toEqual(['encode webp']);
    const alone = { format: 'auto', accept: new Set(['jxl'] as const) } as const;
    expect(outline(jpeg(), alone)).toEqual(['recode jxl']);
    expect(outline(png(), alone)).toEqual(['recode png']);
    expect(outline(png({ frames: 3 }), alone)).toEqual(['animate png', 'passthrough png']);
    expect(outline(jpeg(), { format: 'auto' })).not.toContain('recode jxl');
  });

  it('holds no gain map', () => {
    const gainMap = {
      at: { offset: 50_000, length: 10_000 },
      image: jpeg({ width: 400, height: 300 }),
      statement: { xmp: new Map(), iso: null },
    };
    const kept = first(jpeg({ gainMap }));
    expect(kept.kind === 'recode' && kept.keepsGainMap).toBe(false);
    const reduced = first(jpeg({ gainMap }), { width: 700 });
    expect(reduced.kind === 'encode' && reduced.gainMap).toBe(null);
  });
});

describe('a gain map', () => {
  const withMap = (map: Parameters<typeof jpeg>[0] = {}) =>
    jpeg({
      width: 4000,
      height: 3000,
      gainMap: {
        at: { offset: 2_000_000, length: 100_000 },
        image: jpeg({ width: 1000, height: 750, ...map }),
        statement: { xmp: new Map(), iso: null },
      },
    });
  const first = (image: SourceImage, options: Partial<OptimizeOptions> = {}) => {
    const planned = plan(sourceOf(image, 2_100_000), { ...defaultOptions, ...options });
    const [candidate] = planned.kind === 'refused' ? [] : planned.candidates;
    if (!candidate || candidate.kind === 'passthrough') throw new Error('refused');
    const hasMap =
      candidate.kind === 'recode' ? candidate.keepsGainMap : candidate.gainMap !== null;
    return { hasMap, ...candidate };
  };

  it('goes with a JPEG that stays one, unless it is to be dropped or cannot go', () => {
    for (const size of [{}, { width: 800 }]) {
      expect(first(withMap(), size).hasMap).toBe(true);
      expect(first(withMap(), { ...size, hdr: 'drop' }).hasMap).toBe(false);
      expect(first(jpeg({ gainMap: 'bound' }), size).hasMap).toBe(false);
      expect(first(jpeg(), size).hasMap).toBe(false);
    }
    expect(first(withMap(), { format: 'webp' }).hasMap).toBe(false);
  });

  it('counts in memory and computing time', () => {
    for (const size of [{ quality: 75 }, { quality: 75, width: 800 }]) {
      const [kept, dropped] = [first(withMap(), size), first(withMap(), { ...size, hdr: 'drop' })];
      expect(kept.peak.buffers).toBeGreaterThan(dropped.peak.buffers);
      expect(kept.cpuMs).toBeGreaterThan(dropped.cpuMs + 1);
    }
  });

  it('is given up before its picture, where it does not fit', () => {
    const enormous = withMap({ width: 20_000, height: 15_000, process: 'progressive' });
    for (const size of [{}, { width: 800 }]) expect(first(enormous, size).hasMap).toBe(false);
  });
});
