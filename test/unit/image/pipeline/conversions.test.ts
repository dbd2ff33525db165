import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { OutputType } from '../../../../src/image/formats/facts.ts';
import type { Source } from '../../../../src/image/formats/inspection.ts';
import { encode, SpareCpu } from '../../../../src/image/pipeline/attempts.ts';
import { candidatesFor, type EncodeCandidate } from '../../../../src/image/pipeline/candidates.ts';
import { type Conversion, conversionsOf } from '../../../../src/image/pipeline/conversion.ts';
import { defaultOptions, type OptimizeOptions } from '../../../../src/image/pipeline/options.ts';
import { PreparedPixels } from '../../../../src/image/pipeline/prepare-pixels.ts';
import { readSource } from '../../../../src/image/pipeline/read-source.ts';
import { runAtOnce } from '../../../../src/image/slices.ts';
import { type Arena, arena, sideArena } from '../../../../src/image/wasm/arena.ts';
import { maxCpuMs, memoryBudget } from '../../../../src/image/wasm/budgets.ts';
import { ledger } from '../../../../src/image/wasm/memory-ledger.ts';
import { itForEach } from '../../../support/each.ts';
import { sample } from '../../../support/pictures.ts';

type File = Uint8Array<ArrayBuffer>;

function sourceIn(file: File): Source {
  const source = readSource(file);
  if (source.kind !== 'source') throw new Error(source.kind);
  return source;
}

function candidateFor(source: Source, type: OutputType, options: Partial<OptimizeOptions>) {
  const wanted = { ...defaultOptions, format: type, ...options };
  const candidates = candidatesFor(type, source, wanted);
  if ('kind' in candidates) throw new Error(candidates.reason);
  const found = candidates.find((one): one is EncodeCandidate => one.kind === 'encode');
  if (!found) throw new Error('nothing is encoded');
  return found;
}

/** The bytes that a candidate comes to on this way. */
function made(file: File, source: Source, candidate: EncodeCandidate, way: Conversion): Buffer {
  const pixels = new PreparedPixels(file, source);
  const appearance = { icc: candidate.icc, metadata: { exif: null, xmp: null, iptc: null } };
  const encoding = { file, source, candidate, appearance, makeWay: null };
  const result = runAtOnce(encode(encoding, [way], pixels, new SpareCpu(maxCpuMs)));
  pixels.end();
  expect(ledger.held).toBeLessThanOrEqual(memoryBudget);
  if (result.kind === 'finished') return Buffer.from(result.bytes);
  throw new Error(result.kind);
}

function nameOf(way: Conversion): string {
  return way.kind === 'kept' ? 'kept' : `reader in ${way.reader}, ${way.bands} bands`;
}

const sources: Readonly<Record<string, () => Promise<Buffer | File>>> = {
  'a baseline JPEG': () => sample('photo.jpg'),
  'a progressive JPEG': async () =>
    sharp(await sample('photo.jpg'))
      .jpeg({ progressive: true, quality: 90 })
      .toBuffer(),
  'a transparent PNG': () => sample('logo.png'),
  'an opaque PNG': async () =>
    sharp(await sample('photo.jpg'))
      .png()
      .toBuffer(),
  'an interlaced PNG': async () =>
    sharp(await sample('interface.png'))
      .png({ progressive: true })
      .toBuffer(),
};

/**
 * What a palette shows is scored only where an arena is free for that, and at a quality that is asked for on no way.
 */
const options: Readonly<Record<string, Partial<OptimizeOptions>>> = {
  'in its own size': { background: [200, 10, 30], quality: 80 },
  reduced: { background: [200, 10, 30], width: 30, quality: 80 },
  'on a background in any format': { background: [200, 10, 30], flattens: true, quality: 80 },
  'without loss': { quality: 'lossless' },
};

describe.each(Object.entries(sources))('pixels of %s', (_, make) => {
  itForEach(['jpeg', 'png'] as const, 'come to the same %s on every way', (type) =>
    comeToTheSame(type, [1, 6]),
  );

  it.each(['jpeg', 'png'] as const)(
    'come to the same %s on every way: mirrored and upside down, too',
    { tags: 'slow' },
    (type) => comeToTheSame(type, [2, 3]),
  );

  async function comeToTheSame(type: 'jpeg' | 'png', orientations: readonly number[]) {
    for (const orientation of orientations) {
      const turned = await sharp(await make())
        .resize(61, 43, { fit: 'fill' })
        .withMetadata({ orientation })
        .toBuffer();
      const file = Uint8Array.from(turned);
      const source = sourceIn(file);
      for (const [name, wanted] of Object.entries(options)) {
        const isFlattened = wanted.flattens === true && source.image.hasAlpha;
        if (type === source.image.type && !isFlattened) continue;
        if (type === 'jpeg' && wanted.quality === 'lossless') continue;
        const candidate = candidateFor(source, type, wanted);
        const [kept, ...others] = [...conversionsOf(candidate, source)];
        if (kept?.kind !== 'kept') throw new Error('no raster');
        const expected = made(file, source, candidate, kept);
        for (const way of pickedOf(others)) {
          const result = made(file, source, candidate, way);
          const told = `${name}, orientation ${orientation}, ${nameOf(way)}`;
          // a writer aside keeps fewer candidates of small pictures, and streams a JPEG
          if (way.kind === 'flowing' && way.reader === 'arena') {
            const isExact = type === 'jpeg' || wanted.quality === 'lossless';
            await expectAlike(result, expected, isExact, told);
          } else {
            expect(result.equals(expected), told).toBe(true);
          }
        }
      }
    }
    expect([isClean(arena), isClean(sideArena)]).toEqual([true, true]);
  }
});

/** Whether nothing is left in an arena once it is wiped, whatever has run in it and however far that wrote. */
function isClean(memory: Arena): boolean {
  memory.wipe();
  return new Uint32Array(memory.memory.buffer).every((word) => word === 0);
}

/** Of all bands the fewest, some and the most. */
function pickedOf(ways: readonly Conversion[]): readonly Conversion[] {
  return ways.filter((way) => way.kind === 'kept' || [1, 3].includes(way.bands));
}

async function expectAlike(a: Buffer, b: Buffer, isExact: boolean, told: string) {
  const [one, other] = await Promise.all(
    [a, b].map((file) => sharp(file).raw().toBuffer({ resolveWithObject: true })),
  );
  expect(one?.info, told).toMatchObject({ width: other?.info.width, height: other?.info.height });
  if (isExact) expect(one?.data.equals(other?.data ?? Buffer.alloc(0)), told).toBe(true);
  expect(a.length, told).toBeLessThan(1.25 * b.length);
}
