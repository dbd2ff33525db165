import { describe, expect, it } from 'vitest';
import {
  createEngine,
  type GivenSetOptions,
  ImageError,
  readSetOptions,
  type SetOutcome,
} from '../../../../src/image/engine.ts';
import { buffersLimit } from '../../../../src/image/wasm/budgets.ts';
import { ledger } from '../../../../src/image/wasm/memory-ledger.ts';
import { itForEach } from '../../../support/each.ts';
import { answerTo } from '../../../support/engine.ts';
import { plainPicture, sample, smallLogo, smallPhoto } from '../../../support/pictures.ts';

const phone = await sample('phone.jpg');
const engine = createEngine();

type File = Uint8Array<ArrayBuffer>;

async function outcomesOf(file: File, given: GivenSetOptions): Promise<SetOutcome[]> {
  const outcomes: SetOutcome[] = [];
  for await (const one of engine.optimizeSet(file, readSetOptions(given))) outcomes.push(one);
  return outcomes;
}

/** Names and bytes of the results, in the order of their names. */
function filesOf(outcomes: readonly SetOutcome[]) {
  const files = outcomes.map((one) => {
    if (one.kind === 'failed') throw one.error;
    return [`${one.width}.${one.made.extension}`, Buffer.from(one.made.bytes)] as const;
  });
  return files.toSorted(([a], [b]) => a.localeCompare(b));
}

/** What calls one by one make of the same file. */
function filesOneByOne(
  file: File,
  widths: readonly number[],
  formats: NonNullable<GivenSetOptions['formats']>,
  box: (width: number) => object,
) {
  const files = widths.flatMap((width) =>
    formats.map((format) => {
      const made = answerTo(file, { ...box(width), format });
      if (made instanceof ImageError) throw made;
      return [`${width}.${made.extension}`, Buffer.from(made.bytes)] as const;
    }),
  );
  return files.toSorted(([a], [b]) => a.localeCompare(b));
}

function errorOf(act: () => unknown): ImageError {
  try {
    act();
  } catch (error) {
    if (error instanceof ImageError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const widths = [40, 120, 210] as const;
const formats = ['keep', 'webp', 'png'] as const;

describe('the results of a set', () => {
  itForEach(
    [
      ['a photo', () => smallPhoto(270), formats],
      ['a logo', () => smallLogo(), ['keep', 'webp']],
    ] as const,
    'of %s are those of single calls',
    async (_, make, different) => {
      const file = await make();
      const made = filesOf(await outcomesOf(file, { widths, formats }));
      expect(made).toEqual(filesOneByOne(file, widths, different, (width) => ({ width })));
    },
  );

  it('are those of single calls when turned, with a colour behind and margins around', {
    tags: 'slow',
  }, async () => {
    const turned = plainPicture(280, 240).withMetadata({ orientation: 6 });
    const file = Uint8Array.from(await turned.jpeg().toBuffer());
    const background = [10, 200, 30] as const;
    const set = { widths, formats: ['jpeg', 'png'], ratio: '2:1', background: '#0ac81e' } as const;
    const fits = { cover: {}, contain: { position: { x: 0, y: 1 } }, fill: {} } as const;
    for (const [fit, place] of Object.entries(fits) as ['contain', object][]) {
      const position = fit === 'contain' ? { position: 'bottom-left' } : {};
      const made = filesOf(await outcomesOf(file, { ...set, fit, ...position }));
      const box = (width: number) => ({ width, height: width / 2, fit, background, ...place });
      expect(made).toEqual(filesOneByOne(file, widths, ['jpeg', 'png'], box));
    }
  });

  it('of a photo of 12 megapixels are those of single calls, which try qualities on parts of it', {
    tags: 'slow',
  }, async () => {
    const large = [1100, 1300, 2000];
    const made = filesOf(await outcomesOf(phone, { widths: large, formats: ['jpeg', 'webp'] }));
    expect(made).toEqual(filesOneByOne(phone, large, ['jpeg', 'webp'], (width) => ({ width })));
  });

  it('are cropped to what is of interest as single calls are', { tags: 'slow' }, async () => {
    const file = await smallPhoto();
    const given = { widths, formats: ['webp'], ratio: '1:1', position: 'auto' } as const;
    const made = filesOf(await outcomesOf(file, given));
    const box = (width: number) =>
      ({ width, height: width, fit: 'cover', position: 'auto' }) as const;
    expect(made).toEqual(filesOneByOne(file, widths, ['webp'], box));
  });

  it('have the options in common', async () => {
    const given = { widths: [100, 200], formats: ['webp'], quality: 30 } as const;
    const outcomes = await outcomesOf(await smallPhoto(), given);
    expect(outcomes.map((one) => one.kind === 'made' && one.made.quality)).toEqual([30, 30]);
  });

  it('are no wider than the picture: one of its own width stands for all that would be', async () => {
    const file = Uint8Array.from(await plainPicture(120, 80).png().toBuffer());
    const given = { widths: [50, 120, 121, 4000], formats: ['webp'] } as const;
    expect((await outcomesOf(file, given)).map(({ width }) => width)).toEqual([50, 120]);
    const square = { ...given, ratio: '1:1' };
    expect((await outcomesOf(file, square)).map(({ width }) => width)).toEqual([50, 80]);
    const padded = { ...square, fit: 'contain' } as const;
    expect((await outcomesOf(file, padded)).map(({ width }) => width)).toEqual([50, 120]);
  });

  it('include the own format once, by whichever name', async () => {
    const given = { widths: [30], formats: ['keep', 'jpeg', 'webp'] } as const;
    const outcomes = await outcomesOf(await smallPhoto(), given);
    expect(outcomes.map(({ type }) => type)).toEqual(['jpeg', 'webp']);
  });

  it('have one placeholder, that of the widest', async () => {
    const given = {
      widths: [60, 120],
      formats: ['webp', 'jpeg'],
      placeholder: 'thumbhash',
    } as const;
    const outcomes = await outcomesOf(await smallPhoto(), given);
    const placeholders = outcomes.flatMap((one) =>
      one.kind === 'made' ? [one.made.placeholder] : [],
    );
    const single = answerTo(await smallPhoto(), {
      width: 120,
      format: 'webp',
      placeholder: 'thumbhash',
    });
    expect(placeholders.filter((one) => one !== null)).toEqual([
      (single as { placeholder: string }).placeholder,
    ]);
  });

  it('are made without one that fails', async () => {
    const outcomes = await outcomesOf(await smallPhoto(), {
      widths: [50, 500],
      formats: ['webp', 'jpeg'],
      maxBytes: 4000,
    });
    const failed = outcomes.filter((one) => one.kind === 'failed');
    expect(failed.map(({ width, error }) => [width, error.code])).toEqual([
      [480, 'max_bytes_unreachable'],
      [480, 'max_bytes_unreachable'],
    ]);
    expect(outcomes).toHaveLength(4);
  });

  it('all fail if the file is damaged', async () => {
    const file = await smallPhoto();
    const outcomes = await outcomesOf(file.slice(0, file.length / 2), {
      widths,
      formats: ['jpeg', 'webp'],
    });
    expect(outcomes).toHaveLength(6);
    for (const one of outcomes)
      expect(one).toMatchObject({ kind: 'failed', error: { code: 'invalid_image' } });
  });

  it('can be animations', { tags: 'slow' }, async () => {
    const { default: sharp } = await import('sharp');
    const frames = await Promise.all(
      [1, 2].map((i) =>
        plainPicture(60 + i - i, 40)
          .modulate({ hue: 90 * i })
          .png()
          .toBuffer(),
      ),
    );
    const gif = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    const outcomes = await outcomesOf(Uint8Array.from(gif), {
      widths: [20, 60],
      formats: ['keep', 'webp'],
    });
    expect(outcomes.map((one) => one.kind === 'made' && one.made.frames)).toEqual([2, 2, 2, 2]);
  });
});

const photo = await sample('photo.jpg');
const logo = await sample('logo.png');

describe('the work on a set', () => {
  const file = phone;
  const given = { widths: [400, 800, 1200, 1600, 2000], formats: ['jpeg', 'webp'] } as const;

  it('takes less CPU time than the same calls one by one, and as few readings as memory allows', () => {
    const { cpuMs, passes } = engine.planSet(file, readSetOptions(given));
    const single = given.widths.flatMap((width) =>
      given.formats.map((format) => engine.plan(file, { width, format }).cpuMs),
    );
    expect(cpuMs).toBeLessThan(0.75 * single.reduce((sum, ms) => sum + ms));
    expect(passes.length).toBeLessThanOrEqual(6);
    const total = passes.reduce((sum, { results }) => sum + results.length, 0);
    expect(total).toBe(10);
  });

  it('takes no more memory for more results', () => {
    const peakOf = (set: GivenSetOptions) =>
      Math.max(...engine.planSet(file, readSetOptions(set)).passes.map(({ peak }) => peak.buffers));
    const few = { widths: [2000], formats: ['jpeg'] } as const;
    const many = {
      widths: [200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000],
      formats: ['jpeg', 'webp', 'png', 'avif'],
    } as const;
    expect(peakOf(few) + file.length).toBeLessThanOrEqual(buffersLimit);
    expect(peakOf(many) + file.length).toBeLessThanOrEqual(buffersLimit);
  });

  it('lets other work run between its passes, and holds nothing in the end', {
    tags: 'slow',
  }, async () => {
    const before = ledger.held;
    const order: string[] = [];
    const other = (async () => {
      await engine.optimize(logo.slice(), { width: 64 });
      order.push('other');
    })();
    for await (const { width } of engine.optimizeSet(
      file,
      readSetOptions({ ...given, widths: [100, 700] }),
    )) {
      order.push(String(width));
    }
    await other;
    expect(order.at(-1)).toBe('700');
    expect(order).toContain('other');
    expect(ledger.held - before).toBeLessThan(64 * 1024 * 1024);
    expect(ledger.survey().hasRoomFor({ arena: 0, buffers: buffersLimit })).toBe(true);
  });

  it('ends when no more results are asked for, or the signal says so', async () => {
    const brief = { ...given, widths: [100, 700] };
    for await (const _ of engine.optimizeSet(photo, readSetOptions(brief))) break;
    const stop = new AbortController();
    const reason = new Error('enough');
    const reading = (async () => {
      const set = readSetOptions(brief);
      for await (const _ of engine.optimizeSet(photo, set, { signal: stop.signal }))
        stop.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
    expect(ledger.survey().hasRoomFor({ arena: 0, buffers: buffersLimit })).toBe(true);
  });

  it('tells its progress over all passes', async () => {
    const told: number[] = [];
    const onProgress = (share: number) => void told.push(share);
    const set = readSetOptions({ widths: [100, 700], formats: ['jpeg'] });
    for await (const _ of engine.optimizeSet(photo, set, { onProgress }));
    expect(told.toSorted((a, b) => a - b)).toEqual(told);
    expect(told.at(-1)).toBe(1);
    expect(told.filter((share) => share === 1)).toHaveLength(1);
  });

  it('is refused as a whole if it takes too long, and says how many results do not', () => {
    const quick = createEngine({ maxCpuMs: 1500 });
    const error = errorOf(() => quick.planSet(file, readSetOptions(given)));
    expect(error.code).toBe('invalid_options');
    const { limit_results: most } = error.members;
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(10);
    expect(error.detail).toContain(`${most} of them would do`);
    // by this engine
    expect(error.isTooLarge).toBe(true);
  });

  it('is refused as a whole if the headers rule out a single result', () => {
    const refused = errorOf(() =>
      engine.planSet(logo, readSetOptions({ widths: [20], formats: ['webp', 'gif'] })),
    );
    expect(refused).toMatchObject({ code: 'invalid_options', inputType: 'png' });
    expect(errorOf(() => engine.planSet(new Uint8Array(20), readSetOptions(given))).code).toBe(
      'unsupported_media_type',
    );
  });
});

describe('the options of a set', () => {
  it.each<[string, object, string]>([
    ['no widths', { widths: [] }, 'widths'],
    ['widths that do not ascend', { widths: [20, 20] }, 'widths'],
    ['eleven widths', { widths: Array.from({ length: 11 }, (_, i) => i + 1) }, 'widths'],
    ['a width that is no whole number', { widths: [1.5] }, 'widths'],
    ['a width of 0', { widths: [0] }, 'widths'],
    ['a width that is too large', { widths: [16_385] }, 'widths'],
    ['no formats', { formats: [] }, 'formats'],
    ['five formats', { formats: ['keep', 'jpeg', 'webp', 'png', 'avif'] }, 'formats'],
    ['a format twice', { formats: ['webp', 'webp'] }, 'formats'],
    ['an unknown format', { formats: ['bmp'] }, 'formats'],
    ['auto', { formats: ['auto'] }, 'formats'],
    ['a ratio of 0', { ratio: '16:0' }, 'ratio'],
    ['a ratio that is none', { ratio: '16/9' }, 'ratio'],
    ['a ratio that makes results too high', { ratio: '1:200' }, 'ratio'],
    ['a fit without a ratio', { fit: 'cover' }, 'fit'],
    ['a fit that has another ratio', { ratio: '1:1', fit: 'inside' }, 'fit'],
    ['a position without a ratio', { position: 'top' }, 'position'],
    [
      'a position where nothing is cropped',
      { ratio: '1:1', fit: 'fill', position: 'top' },
      'position',
    ],
    ['a width', { width: 30 }, 'width'],
    ['a format', { format: 'webp' }, 'format'],
    ['an unknown option', { size: 3 }, 'size'],
  ])('cannot be %s', (_, given, path) => {
    const error = errorOf(() => readSetOptions({ widths: [100], ...given } as GivenSetOptions));
    expect(error.code).toBe('invalid_options');
    expect(error.members).toMatchObject({ errors: [{ path }] });
  });

  it('may have a ratio with decimals', () => {
    expect(readSetOptions({ widths: [10], ratio: '1.91:1' }).ratio).toEqual({
      width: 1.91,
      height: 1,
    });
  });
});
