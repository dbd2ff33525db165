import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Halvings } from '../../../src/image/formats/coding.ts';
import type { Quality } from '../../../src/image/formats/inspection.ts';
import { CodedRows } from '../../../src/image/formats/jpeg/code-picture.ts';
import { SourceRows } from '../../../src/image/formats/jpeg/decode.ts';
import type { JpegInspection } from '../../../src/image/formats/jpeg/inspect.ts';
import { runJpegKernel } from '../../../src/image/formats/jpeg/kernel.ts';
import { jpegReadingBytes, jpegRecodingBytes } from '../../../src/image/formats/jpeg/memory.ts';
import { codeCandidate, coefficientCandidates } from '../../../src/image/formats/jpeg/recode.ts';
import { scansOf } from '../../../src/image/formats/jpeg/scan-list.ts';
import { inspect } from '../../../src/image/formats/registry.ts';
import { runAtOnce } from '../../../src/image/slices.ts';
import { arena } from '../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../src/image/wasm/budgets.ts';
import type { JpegComponent, JpegContent } from '../../support/jpeg-maker/content.ts';
import { defaultProgression, makeJpeg } from '../../support/jpeg-maker/jpeg-maker.ts';
import { Random } from '../../support/random.ts';
import { readJpegRows } from '../../support/rows.ts';

const plain: JpegComponent = {};
const grey = [plain];
const full = [plain, plain, plain];
const halvedAcross = [{ horizontal: 2 }, plain, plain];
const halved = [{ horizontal: 2, vertical: 2 }, plain, plain];
const tall = [{ horizontal: 1, vertical: 4 }, plain, { vertical: 2 }];
const inks = [plain, plain, plain, plain];

type Shape = Pick<JpegContent, 'width' | 'height' | 'components' | 'scans' | 'adobe'>;

const shapes: readonly (readonly [string, Shape])[] = [
  ['grey', { width: 300, height: 200, components: grey }],
  ['4:4:4', { width: 301, height: 203, components: full }],
  ['4:2:2', { width: 299, height: 199, components: halvedAcross }],
  ['4:2:0', { width: 1000, height: 600, components: halved }],
  ['4:2:0 in a scan for each component', { ...large(halved), scans: 'separate' }],
  ['progressive 4:2:0', { ...large(halved), scans: defaultProgression }],
  ['progressive 4:4:4', { ...large(full), scans: defaultProgression }],
  ['1 × 4 and 1 × 2', { width: 260, height: 330, components: tall }],
  ['four inks', { width: 500, height: 300, components: inks, adobe: 0 }],
  ['one row of 65,500 pixels', { width: 65_500, height: 8, components: full }],
  ['one column of 65,500 pixels', { width: 8, height: 65_500, components: halved }],
  [
    'one progressive row of 65,500 pixels',
    { width: 65_500, height: 8, components: halved, scans: defaultProgression },
  ],
];

function large(components: readonly JpegComponent[]) {
  return { width: 1000, height: 600, components };
}

/** Windows and tables for scans that there could have been, and what the margins come to. */
const slack = 256 * 1024 + 3 * 102_432;

beforeAll(() => arena.reserve(arenaCeiling));

describe('the arena that coding a JPEG anew is predicted to take', () => {
  const ways = shapes.flatMap(([name, shape]) =>
    (['lossless', 40, 90] as const).map((quality) => [name, quality, shape] as const),
  );

  it.each(ways)('is enough, and hardly too much: %s, %s', (_name, quality, shape) => {
    const { file, image } = opened(makeJpeg({ ...shape, coefficients: flat }));
    const predicted = jpegRecodingBytes(image, file.length, quality);
    const taken = takenByRecoding(file, image, quality);
    expect(predicted).toBeGreaterThanOrEqual(taken);
    const most =
      image.process === 'progressive'
        ? taken
        : Math.max(taken, ...takenByStreaming(file, image, quality));
    // the file's length stands for the tokens, the result and high bytes, of which flat blocks have few
    expect(predicted).toBeLessThanOrEqual(1.3 * most + slack + 5 * file.length);
  });

  it.each(shapes.filter(([, { scans }]) => typeof scans !== 'object'))(
    'is enough for going through noise several times: %s',
    (_name, shape) => {
      const { file, image } = opened(makeJpeg({ ...shape, coefficients: noise() }));
      for (const quality of ['lossless', 40] as const) {
        const predicted = jpegRecodingBytes(image, file.length, quality);
        for (const taken of takenByStreaming(file, image, quality)) {
          expect(predicted).toBeGreaterThanOrEqual(taken + file.length);
        }
      }
    },
  );

  it('is what there is, for a picture whose tokens may pass the ceiling', () => {
    const image = sized(10_000, 10_000, {});
    expect(jpegRecodingBytes(image, 30_000_000, 75)).toBe(arenaCeiling);
    expect(jpegRecodingBytes(image, 30_000_000, 'lossless')).toBe(arenaCeiling);
  });

  it('passes the ceiling where planes alone do', () => {
    const image = sized(10_000, 10_000, { scans: defaultProgression });
    expect(jpegRecodingBytes(image, 1_000_000, 75)).toBeGreaterThan(2 * arenaCeiling);
    expect(jpegReadingBytes(image, 1_000_000)).toBeGreaterThan(2 * arenaCeiling);
  });
});

describe('the arena that reading a JPEG is predicted to take', () => {
  const readable = shapes.filter(([, { components }]) => components.length < 4);

  it.each(readable)('is enough, and hardly too much: %s', (_name, shape) => {
    const { file, image } = opened(makeJpeg({ ...shape, coefficients: flat }));
    const predicted = jpegReadingBytes(image, file.length);
    const taken = takenByReading(file, image, 0);
    expect(predicted).toBeLessThanOrEqual(1.3 * taken + slack + file.length);
    for (const halvings of [0, 1, 2, 3] as const) {
      expect(predicted).toBeGreaterThanOrEqual(takenByReading(file, image, halvings));
    }
  });
});

describe('planes for the largest picture that a header can name', () => {
  it.each([65_535, 65_500])('are refused, however their size wraps: %s', (side) => {
    const image = sized(side, side, { scans: defaultProgression });
    const taken = runAtOnce(
      runJpegKernel(new Uint8Array(), function* (kernel) {
        kernel.setFrame(0, image.width, image.height, 1);
        kernel.setSampling(0, 0, 1, 1);
        kernel.beginFrame(0);
        expect(kernel.allocatePlanes()).toBe(0);
        return kernel.taken();
      }),
    );
    expect(taken).toBeLessThanOrEqual(arenaCeiling);
  });
});

describe.skipIf(!process.env.CORPUS)('photos', () => {
  const folder = join(process.env.CORPUS ?? '', 'photos');
  const photos = process.env.CORPUS ? readdirSync(folder) : [];

  it.each(photos)('take no more of the arena than predicted: %s', (name) => {
    const { file, image } = opened(readFileSync(join(folder, name)));
    expect(takenByReading(file, image, 0)).toBeLessThanOrEqual(
      jpegReadingBytes(image, file.length),
    );
    for (const quality of ['lossless', 75] as const) {
      const taken = takenByRecoding(file, image, quality);
      expect(taken).toBeLessThanOrEqual(jpegRecodingBytes(image, file.length, quality));
      expect(taken / image.width / image.height).toBeLessThan(quality === 'lossless' ? 2.7 : 2);
    }
  });
});

/** Blocks without detail. */
function flat(c: number, bx: number, by: number): number[] {
  return [((bx * 7 + by * 5 + c) % 9) - 4];
}

/** Blocks in which nothing is zero. */
function noise(): () => number[] {
  const random = new Random(5);
  return () => Array.from({ length: 64 }, () => 1 + Math.floor(40 * random.unit()));
}

function opened(bytes: Uint8Array) {
  const file = Uint8Array.from(bytes);
  const result = inspect(file);
  if (result.kind !== 'image' || result.image.type !== 'jpeg') throw new Error(result.kind);
  return { file, image: result.image };
}

/** What is said of a picture of another size that is otherwise like a small one. */
function sized(width: number, height: number, shape: Partial<Shape>): JpegInspection {
  const small = makeJpeg({ width: 16, height: 16, components: full, coefficients: flat, ...shape });
  return { ...opened(small).image, width, height };
}

/** The most that one of the ways takes with its result, streamed ones left aside. */
function takenByRecoding(
  file: Uint8Array<ArrayBuffer>,
  image: JpegInspection,
  quality: Quality,
): number {
  const list = scansOf(file, image);
  const head = Uint8Array.of(0xff, 0xd8);
  const totals = [...coefficientCandidates(image, list, quality)].map((candidate) =>
    runAtOnce(
      runJpegKernel(file, function* (kernel) {
        const recoding = { ...candidate, head, maxBytes: file.length, mayStream: false };
        const result = yield* codeCandidate(kernel, image, list, recoding);
        return kernel.taken() + (result.kind === 'coded' ? result.bytes.length : 0);
      }),
    ),
  );
  return Math.max(...totals);
}

/** What each of the ways takes without its result where nothing is kept. */
function takenByStreaming(
  file: Uint8Array<ArrayBuffer>,
  image: JpegInspection,
  quality: Quality,
): number[] {
  const list = scansOf(file, image);
  return [...coefficientCandidates(image, list, quality)].map((candidate) =>
    runAtOnce(
      runJpegKernel(file, function* (kernel) {
        const shape = { width: image.width, height: image.height, sampling: candidate.sampling };
        const source = new SourceRows(kernel, image, list);
        const rows = new CodedRows(kernel, source, shape, candidate.tables);
        yield* rows.begin();
        // there is nothing else to forget then
        expect(kernel.beginTokens()).toBe(1);
        rows.beginStreaming();
        return kernel.taken();
      }),
    ),
  );
}

function takenByReading(
  file: Uint8Array<ArrayBuffer>,
  image: JpegInspection,
  halvings: Halvings,
): number {
  readJpegRows(file, image, halvings, () => {});
  // allocated last is a row of pixels, which are opaque: it ends with the last byte that is not zero
  const words = new Int32Array(arena.memory.buffer);
  let end = words.length;
  while (end > 0 && words[end - 1] === 0) end -= 1;
  return end * words.BYTES_PER_ELEMENT;
}
