import {
  chroma,
  colorSamplings,
  type Factors,
  type JpegContent,
  type JpegScan,
} from '../../../../support/jpeg-maker/content.ts';
import { defaultProgression, makeJpeg } from '../../../../support/jpeg-maker/jpeg-maker.ts';
import { Random } from '../../../../support/random.ts';

/** Samplings that libjpeg decodes: each factor divides the largest one. */
export const samplings = {
  grey: [[1, 1]],
  'grey with factors of 2': [[2, 2]],
  ...colorSamplings,
  '4:4:1': [[1, 4], ...chroma],
  'three times as wide': [[3, 1], ...chroma],
  'chroma halved each in its own direction': [
    [2, 2],
    [1, 2],
    [2, 1],
  ],
  'chroma with more samples than luma': [
    [1, 1],
    [2, 2],
    [2, 1],
  ],
} as const satisfies Record<string, Factors>;

/** Of pictures with four inks. */
export const inkSamplings = {
  'four components': [[1, 1], [1, 1], ...chroma],
  'four components, two of them halved': [[2, 2], ...chroma, [2, 2]],
} as const satisfies Record<string, Factors>;

const whole = { ss: 0, se: 63, ah: 0, al: 0 };

/** Progressive scans that know no chroma. */
export function progression(count: number): readonly JpegScan[] {
  if (count === 3) return defaultProgression;
  const each = Array.from({ length: count }, (_, c) => c);
  const bands = each.flatMap((c) => [
    { components: [c], ss: 1, se: 9, ah: 0, al: 1 },
    { components: [c], ss: 10, se: 63, ah: 0, al: 1 },
    { components: [c], ss: 1, se: 63, ah: 1, al: 0 },
  ]);
  return [
    { components: each, ss: 0, se: 0, ah: 0, al: 1 },
    ...bands,
    { components: each, ss: 0, se: 0, ah: 1, al: 0 },
  ];
}

type Layout = Pick<JpegContent, 'scans' | 'restartInterval' | 'wideTables'>;

/** Ways to lay out the same coefficients, by the number of components. */
export const layouts: Record<string, (count: number) => Layout> = {
  'one scan': () => ({}),
  'one scan with restart markers': () => ({ restartInterval: 2 }),
  'a scan for each component': () => ({ scans: 'separate' }),
  'a scan for each component with restart markers': () => ({
    scans: 'separate',
    restartInterval: 3,
  }),
  'the last component before the others': (count) => ({
    scans:
      count === 1
        ? 'sequential'
        : [
            { components: [count - 1], ...whole },
            { components: Array.from({ length: count - 1 }, (_, c) => c), ...whole },
          ],
  }),
  'progressive scans': (count) => ({ scans: progression(count) }),
  'progressive scans with restart markers': (count) => ({
    scans: progression(count),
    restartInterval: 5,
  }),
  'steps of 16 bits': () => ({ wideTables: true }),
};

/** Steps that grow with frequency, so that a table in the wrong place shows. */
const steps = [3, 5, 7].map((rise) =>
  Uint8Array.from({ length: 64 }, (_, k) => 4 + (rise * k) / 8),
);

/** A picture of chance coefficients that mostly keep within the range of samples. */
export function made(
  width: number,
  height: number,
  factors: Factors,
  more: Partial<JpegContent> = {},
): Uint8Array<ArrayBuffer> {
  return makeJpeg({
    width,
    height,
    components: factors.map(([horizontal, vertical], c) => ({
      horizontal,
      vertical,
      table: Math.min(c, 2),
    })),
    tables: steps,
    coefficients: chance,
    ...more,
  });
}

/** The same block each time it is asked for. */
function chance(c: number, bx: number, by: number): number[] {
  const random = new Random(1 + c + 4 * bx + 4096 * by);
  return Array.from({ length: 64 }, (_, k) => {
    if (k === 0) return Math.round(70 * random.normal());
    const size = random.unit() < 4 / (k + 4) ? 20 / (k + 1) : 0;
    return Math.round(size * random.normal());
  });
}
