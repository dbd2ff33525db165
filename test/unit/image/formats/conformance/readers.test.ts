import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContainerError } from '../../../../../src/image/container/assemble.ts';
import { inputFacts } from '../../../../../src/image/formats/facts.ts';
import type { Inspection } from '../../../../../src/image/formats/inspection.ts';
import {
  decoderOf,
  formatOf,
  readMetadata,
  rewrap,
} from '../../../../../src/image/formats/registry.ts';
import { noMetadata } from '../../../../../src/image/metadata/metadata.ts';
import { readSource } from '../../../../../src/image/pipeline/read-source.ts';
import { forEachRowOf, pacedRows } from '../../../../../src/image/pixels/row-source.ts';
import { runAtOnce, type Slices } from '../../../../../src/image/slices.ts';
import { Arena, arena } from '../../../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../../../src/image/wasm/budgets.ts';
import { CodecError } from '../../../../../src/image/wasm/codec.ts';
import { kernelTraps } from '../../../../support/kernels.ts';
import { mutationOriginals } from '../../../../support/mutations/originals.ts';
import { Random } from '../../../../support/random.ts';

const seed = 20_261_128;
/** Damaged copies of each original. */
const copies = 12;
/** A header may claim any size; larger pictures would only take time. */
const maxPixels = 500_000;

let kinds: Awaited<ReturnType<typeof mutationOriginals>>;
const watched = (['bit-reader', 'cursor', 'file-window'] as const).map(kernelTraps);
beforeAll(async () => {
  kinds = await mutationOriginals();
});
afterAll(() => {
  for (const { restore } of watched.toReversed()) restore();
});

type Verdict = 'read' | 'refused' | 'too large';

/**
 * Does everything to a file that its reader can do.
 * @throws whatever is not the refusal of a damaged file
 */
function readingOf(file: Uint8Array<ArrayBuffer>): Verdict {
  arena.reserve(arenaCeiling);
  const source = readSource(file);
  if (source.kind !== 'source') return 'refused';
  const { image } = source;
  expect(Math.min(image.width, image.height, image.frames)).toBeGreaterThan(0);
  readMetadata(image, file);
  const isRewrapped = unlessRefused(() => {
    rewrap(image, file, { icc: null, metadata: noMetadata });
  });
  if (image.width * image.height > maxPixels) return 'too large';
  const isRead = unlessRefused(() => {
    if (image.frames > 1) readFrames(file, image);
    else readPicture(file, image);
  });
  return isRead && isRewrapped ? 'read' : 'refused';
}

function unlessRefused(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof CodecError || error instanceof ContainerError) return false;
    throw error;
  }
}

function readPicture(file: Uint8Array, image: Inspection): void {
  const decoder = decoderOf(image);
  const how = { halvings: 0, deepSamples: null } as const;
  arena.reserve(Math.min(decoder.arenaBytes(image, file.length), arenaCeiling));
  const work = decoder.open(file, image, how, arena, function* (rows) {
    let count = 0;
    yield* forEachRowOf(rows, (row) => {
      count += 1;
      expect(row.length).toBe(4 * rows.width);
    });
    expect([rows.width, count]).toEqual([image.width, image.height]);
  });
  runAtOnce(work);
}

/** Predicted CPU time of a row, in milliseconds, with which all rows pause. */
const slowMs = 100;

/** Begins to read the rows of a picture, which pause. @returns their hash */
function* hashing(file: Uint8Array, image: Inspection): Slices<string> {
  const decoder = decoderOf(image);
  arena.reserve(Math.min(decoder.arenaBytes(image, file.length), arenaCeiling));
  const how = { halvings: 0, deepSamples: null } as const;
  return yield* decoder.open(file, image, how, arena, function* (rows) {
    const hash = createHash('sha256');
    const paced = pacedRows(rows, slowMs);
    yield* paced.start();
    for (let y = 0; y < paced.height; y += 1) hash.update(yield* paced.next());
    yield* paced.end();
    return hash.digest('hex');
  });
}

function readFrames(file: Uint8Array, image: Inspection): void {
  const { animation } = formatOf(image).read;
  if (!animation) return;
  const memory = new Arena(4);
  memory.reserve(Math.min(animation.arenaBytes(image, file.length), arenaCeiling));
  let pixels = 0;
  for (const frame of animation.frames(file, image)) {
    pixels += frame.region.width * frame.region.height;
    if (pixels > maxPixels) return;
    runAtOnce(animation.open(file, image, frame, memory, (rows) => forEachRowOf(rows, () => {})));
  }
}

describe.each(inputFacts)('the reader of $name', ({ type }) => {
  it('reads sound files, within the memory that it states', () => {
    for (const { name, file } of kinds[type].originals) {
      expect(readingOf(Uint8Array.from(file)), name).toBe('read');
    }
  });

  it('may be ended at any pause, and reads again', () => {
    const file = Uint8Array.from(kinds[type].originals[0]?.file ?? []);
    const source = readSource(file);
    if (source.kind !== 'source') throw new Error(source.kind);
    const whole = runAtOnce(hashing(file, source.image));
    for (const pauses of [1, 9]) {
      const work = hashing(file, source.image);
      for (let pause = 0; pause < pauses; pause += 1) expect(work.next().done).toBe(false);
      work.return('');
      expect(runAtOnce(hashing(file, source.image))).toBe(whole);
    }
  });

  it(`reads or refuses what has been damaged, by seed ${seed}, and fails in no other way`, {
    tags: 'slow',
  }, () => {
    const random = new Random(seed);
    const { originals, mutated } = kinds[type];
    const verdicts = originals.flatMap(({ name, file }) =>
      Array.from({ length: copies }, (_, copy) => {
        const damaged = mutated(Uint8Array.from(file), random);
        try {
          return readingOf(damaged);
        } catch (cause) {
          throw new Error(`${name}, copy ${copy}`, { cause });
        }
      }),
    );
    expect(verdicts).toContain('read');
    expect(verdicts).toContain('refused');
    expect(watched.flatMap(({ traps }) => traps)).toEqual([]);
  });

  it('refuses what has been cut off within its picture', { tags: 'slow' }, () => {
    for (const { name, file } of kinds[type].originals) {
      for (const share of [0, 0.01, 0.1, 0.3, 0.6]) {
        const part = Uint8Array.from(file).slice(0, Math.floor(share * file.length));
        expect(readingOf(part), `${name} cut off at ${share}`).toBe('refused');
      }
    }
  });
});
