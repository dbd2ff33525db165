import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import {
  colorSamplings,
  type Factors,
  type JpegContent,
  type JpegScan,
} from '../../support/jpeg-maker/content.ts';
import { defaultProgression, makeJpeg } from '../../support/jpeg-maker/jpeg-maker.ts';

/** Scans that end runs, refine other bands than those first coded, and contain single components. */
const oddProgression: readonly JpegScan[] = [
  { components: [0], ss: 0, se: 0, ah: 0, al: 2 },
  { components: [1, 2], ss: 0, se: 0, ah: 0, al: 0 },
  { components: [0], ss: 1, se: 2, ah: 0, al: 0 },
  { components: [0], ss: 3, se: 63, ah: 0, al: 3 },
  { components: [0], ss: 3, se: 63, ah: 3, al: 2 },
  { components: [0], ss: 0, se: 0, ah: 2, al: 1 },
  { components: [0], ss: 3, se: 20, ah: 2, al: 1 },
  { components: [0], ss: 21, se: 63, ah: 2, al: 1 },
  { components: [0], ss: 3, se: 63, ah: 1, al: 0 },
  { components: [1], ss: 1, se: 63, ah: 0, al: 2 },
  { components: [1], ss: 1, se: 63, ah: 2, al: 1 },
  { components: [1], ss: 1, se: 63, ah: 1, al: 0 },
  { components: [2], ss: 1, se: 63, ah: 0, al: 0 },
  { components: [0], ss: 0, se: 0, ah: 1, al: 0 },
];

/** A progression for any number of components, without interleaving. */
function progressionOf(count: number): JpegScan[] {
  return Array.from({ length: count }, (_, c) => [
    { components: [c], ss: 0, se: 0, ah: 0, al: 1 },
    { components: [c], ss: 1, se: 63, ah: 0, al: 1 },
    { components: [c], ss: 1, se: 63, ah: 1, al: 0 },
    { components: [c], ss: 0, se: 0, ah: 1, al: 0 },
  ]).flat();
}

const ways = [
  'sequential',
  'separate',
  [
    { components: [1], ss: 0, se: 63, ah: 0, al: 0 },
    { components: [0, 2], ss: 0, se: 63, ah: 0, al: 0 },
  ],
  defaultProgression,
  oddProgression,
  progressionOf(3),
] as const;

/** Deterministic values for a block: many zeros, runs of them above 15, and full blocks. */
function blockOf(c: number, bx: number, by: number): Int16Array {
  let state = (c * 7919 + bx * 104_729 + by * 1_299_709 + 1) >>> 0;
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const values = new Int16Array(64);
  values[0] = next(400) - 200;
  const density = [0, 0, 1, 3, 20, 64][next(6)] ?? 0;
  for (let i = 0; i < density; i += 1) {
    const magnitude = next(3) > 0 ? 1 : next(20);
    values[1 + next(63)] = next(2) > 0 ? magnitude : -magnitude;
  }
  if (next(4) === 0) values[63] = 2;
  return values;
}

const steps = Uint8Array.from({ length: 64 }, (_, k) => 2 + (k >> 3));

function content(factors: Factors, width: number, height: number): JpegContent {
  const components = factors.map(([horizontal, vertical]) => ({ horizontal, vertical }));
  return { width, height, components, tables: [steps], coefficients: blockOf };
}

async function pixels(file: Uint8Array): Promise<Buffer> {
  return sharp(file, { failOn: 'warning' }).raw().toBuffer();
}

const samplings = {
  ...colorSamplings,
  'luma with fewer samples than chroma': [
    [1, 1],
    [2, 1],
    [1, 2],
  ],
} as const;
const sizes = [
  [1, 1],
  [8, 8],
  [17, 33],
  [65, 31],
  [130, 70],
] as const;

describe.each(Object.entries(samplings))('a JPEG of coefficients, %s', (_, factors) => {
  it.each(sizes)('is the same picture in all ways of coding, %i × %i', async (width, height) => {
    const made = content(factors, width, height);
    const expected = await pixels(makeJpeg(made));
    for (const restartInterval of [0, 1, 5]) {
      for (const scans of ways) {
        const file = makeJpeg({ ...made, scans, restartInterval });
        expect((await pixels(file)).equals(expected)).toBe(true);
      }
    }
  });
});

describe('a JPEG of coefficients', () => {
  it('has the values that it was given', async () => {
    // DC is eight times the mean above the middle (T.81 §A.3.3).
    const file = makeJpeg({
      ...content([[1, 1]], 24, 16),
      coefficients: (_, bx, by) => [10 * (bx + 3 * by)],
    });
    const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width: 24, height: 16 });
    for (const [bx, by] of [0, 1].flatMap((y) => [0, 1, 2].map((x) => [x, y] as const))) {
      const sample = data[((8 * by + 3) * 24 + 8 * bx + 3) * info.channels];
      expect(sample).toBe(128 + Math.round((2 * 10 * (bx + 3 * by)) / 8));
    }
  });

  it.each([1, 4])('may have %i components', async (count) => {
    const factors = Array.from({ length: count }, () => [1, 1] as const);
    const made: JpegContent = { ...content(factors, 45, 29), adobe: 0 };
    const expected = await pixels(makeJpeg(made));
    for (const scans of ['separate', progressionOf(count)] as const) {
      expect((await pixels(makeJpeg({ ...made, scans }))).equals(expected)).toBe(true);
    }
  });

  it('may have steps of 16 bits', async () => {
    const made = content(samplings['4:2:0'], 45, 29);
    const expected = await pixels(makeJpeg(made));
    expect((await pixels(makeJpeg({ ...made, wideTables: true }))).equals(expected)).toBe(true);
    // 768 × 2 / 8 above the middle.
    const coarse = { ...made, tables: [new Uint16Array(64).fill(768)], coefficients: () => [1] };
    const grey = { ...coarse, components: [{}] };
    expect((await pixels(makeJpeg(grey)))[0]).toBe(128 + 96);
  });

  it('says by its segments what components mean', async () => {
    const made = content(samplings['4:4:4'], 16, 16);
    const asYcc = await pixels(makeJpeg({ ...made, adobe: 1 }));
    const asRgb = await pixels(makeJpeg({ ...made, adobe: 0 }));
    expect((await pixels(makeJpeg({ ...made, jfif: true }))).equals(asYcc)).toBe(true);
    expect(asRgb.equals(asYcc)).toBe(false);
  });

  it('codes runs of more blocks than a symbol can say', { tags: 'slow' }, async () => {
    // 185 × 185 blocks, all but the last without AC coefficients.
    const made: JpegContent = {
      ...content([[1, 1]], 1480, 1480),
      coefficients: (_, bx, by) => (bx === 184 && by === 184 ? [0, 9, 3] : [0]),
    };
    const expected = await pixels(makeJpeg(made));
    const file = makeJpeg({ ...made, scans: progressionOf(1) });
    expect((await pixels(file)).equals(expected)).toBe(true);
  });
});
