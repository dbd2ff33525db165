import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { encodeFile } from '../../../bench/tuning/codec-memory/cases.ts';
import { type Content, renderContent } from '../../../bench/tuning/codec-memory/contents.ts';
import { arenaBirthBytes } from '../../../src/image/wasm/arena.ts';
import type { DecodeStep, Picture, Step } from '../../support/codec-steps.ts';
import { type Outcome, runTrial, runTrials } from '../../support/codec-trial.ts';
import { isFull } from '../../support/full.ts';

const small = { width: 701, height: 499 };
const large = { width: 1301, height: 899 };
const strip = { width: 67, height: 8191 };

type Make = (picture: Picture) => Step | Promise<Step>;

/** Steps that need more than an arena is born with, each on the content that costs it most. */
const steps: readonly (readonly [string, Content, boolean, Make])[] = [
  ['decoding AVIF', 'interface', false, file('avif-decode', 'avif 8-bit 4:2:0')],
  [
    'encoding JPEG',
    'extremes',
    false,
    (picture) => ({ name: 'jpeg-encode', picture, settings: { quality: 60, grey: false } }),
  ],
  [
    'encoding AVIF',
    'bilevel',
    false,
    (picture) => ({
      name: 'avif-encode',
      picture,
      settings: { quality: 60 },
    }),
  ],
];

describe('a codec in an arena of the size that it asked for', () => {
  for (const [name, content, hasAlpha, make] of steps) {
    test(`succeeds when ${name}`, async () => {
      for (const size of isFull ? [small, large, strip] : [large, strip]) {
        const step = await make(await renderContent(content, size, hasAlpha));
        expect(await runTrial({ step, arenaBytes: 'predicted' })).toMatchObject({ kind: 'done' });
      }
    });
  }
});

describe('coding a JPEG anew in an arena of the size that was predicted', () => {
  const ways = [true, false].flatMap((progressive) =>
    (['lossless', 80] as const).map((quality) => ({ progressive, quality })),
  );

  test.each(ways)(
    'succeeds with noise: progressive $progressive, quality $quality',
    async (way) => {
      // large enough for more than an arena is born with
      const { width, height, data } = await renderContent(
        'noise',
        { width: 2600, height: 2100 },
        false,
      );
      const noise = sharp(data, { raw: { width, height, channels: 4 } });
      const { progressive, quality } = way;
      const options = { quality: 98, chromaSubsampling: '4:4:4', progressive };
      const file = await noise.jpeg(options).toBuffer();
      const step = { name: 'jpeg-recode', file, settings: quality } as const;
      const outcome = await runTrial({ step, arenaBytes: 'predicted' });
      expect(outcome).toMatchObject({ kind: 'done' });
      expect(outcome.predicted).toBeGreaterThan(arenaBirthBytes);
    },
  );
});

describe('a codec in too small an arena', () => {
  // one of every build that keeps its instance, and of those that are linked for each run
  const some: typeof steps = [
    ['decoding AVIF of 10 bits', 'noise', false, file('avif-decode', 'avif 10-bit 4:2:0')],
    ...steps.filter(([name]) => name === 'encoding AVIF'),
  ];
  test.each(some)('fails when %s, and succeeds right after with enough', async (...parts) => {
    const [, content, hasAlpha, make] = parts;
    const step = await make(await renderContent(content, large, hasAlpha));
    const [refused, repeated] = await runTrials([
      { step, arenaBytes: arenaBirthBytes },
      { step, arenaBytes: 'predicted' },
    ]);
    const alone = await runTrial({ step, arenaBytes: 'predicted' });
    expect(refused).toMatchObject({ kind: 'refused', exhausted: true });
    expect(digest(repeated)).toBe(digest(alone));
  });
});

describe('the arena', () => {
  test('leaves no trace of one codec in the result of the next', async () => {
    const noise = await renderContent('noise', small, true);
    const other = await renderContent('interface', small, true);
    const before = await webp('lossless')(noise);
    const results: [unknown, unknown][] = [];
    for (const make of [webp(80), file('avif-decode', 'avif 8-bit 4:2:0')]) {
      const step = await make(other);
      // the first run grows the arena; the last finds its instance in a memory that others used
      const [, , then, , again] = await runTrials(
        [before, step, step, before, step].map((step) => ({ step, arenaBytes: 'predicted' })),
      );
      const alone = digest(await runTrial({ step, arenaBytes: 'predicted' }));
      results.push([digest(then), alone], [digest(again), alone]);
    }
    for (const [result, alone] of results) expect(result).toBe(alone);
  });
});

function file(name: DecodeStep, encoding: Parameters<typeof encodeFile>[1]): Make {
  return async (picture) => ({ name, file: await encodeFile(picture, encoding) });
}

function webp(quality: number | 'lossless'): Make {
  return (picture) => ({ name: 'webp-encode', picture, settings: { quality } });
}

function digest(outcome: Outcome | undefined): string {
  if (outcome?.kind !== 'done') throw new Error(`refused: ${JSON.stringify(outcome)}`);
  return outcome.digest;
}
