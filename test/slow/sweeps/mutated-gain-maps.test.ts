import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ImageError } from '../../../src/image/engine.ts';
import type { OptimizeOptions } from '../../../src/image/pipeline/options.ts';
import { arena, sideArena } from '../../../src/image/wasm/arena.ts';
import { arenaCeiling, sideCeiling } from '../../../src/image/wasm/budgets.ts';
import { ledger } from '../../../src/image/wasm/memory-ledger.ts';
import { answerTo } from '../../support/engine.ts';
import { mostHeld } from '../../support/held-buffers.ts';
import { kernelTraps } from '../../support/kernels.ts';
import { mutatedJpeg } from '../../support/mutations/jpeg.ts';
import { hostileNumber } from '../../support/mutations/mutation.ts';
import { Random } from '../../support/random.ts';
import { seenUltraHdr, ultraHdr } from '../../support/ultra-hdr.ts';
import { drawing } from '../../unit/image/formats/jpeg/drawing.ts';

const mutations = 1200;

const wanted: readonly Partial<OptimizeOptions>[] = [
  {},
  { quality: 'lossless', metadata: 'all' },
  { width: 40 },
  { width: 30, height: 50, fit: 'cover', metadata: 'copyright' },
];

const { traps, restore } = kernelTraps('bit-reader');
let originals: Uint8Array<ArrayBuffer>[] = [];

beforeAll(async () => {
  const { data, ...size } = drawing(96, 72);
  const drawn = sharp(data, { raw: { ...size, channels: 3 } });
  const picture = await drawn.clone().jpeg({ quality: 90 }).toBuffer();
  const grey = drawn.clone().resize(24, 18).toColourspace('b-w');
  const maps = [
    await grey.clone().jpeg().toBuffer(),
    await drawn.clone().resize(48, 36).jpeg({ progressive: true }).toBuffer(),
  ];
  originals = maps.flatMap((map) => [
    ultraHdr({ picture, map }),
    ultraHdr({ picture, map, ways: ['xmp'], between: Buffer.alloc(50, 'video') }),
    ultraHdr({ picture, map, ways: ['iso'], behind: Buffer.alloc(50, 'video') }),
  ]);
});

afterAll(restore);

/** Changes anywhere, or a number of the index or a digit of the directory that is something else. */
function mutated(original: Uint8Array<ArrayBuffer>, random: Random): Uint8Array<ArrayBuffer> {
  if (random.unit() < 0.5) return mutatedJpeg(original, random);
  const file = original.slice();
  const bytes = Buffer.from(file.buffer);
  const index = bytes.indexOf('MPF\0', 'latin1');
  const length = bytes.indexOf('Item:Length="', 'latin1');
  if (random.unit() < 0.5 || length < 0) {
    const at = index + 4 + 4 * Math.floor(20 * random.unit()) + 2 * Math.floor(2 * random.unit());
    bytes.writeUInt32LE(hostileNumber(file.length, random), at);
  } else {
    bytes.write(String(hostileNumber(file.length, random)).slice(0, 3), length + 13, 'latin1');
  }
  return file;
}

describe('a photo with a gain map that has been damaged', () => {
  it('becomes a picture, with its map or without, or is refused', {
    timeout: 120_000,
  }, async () => {
    const tally = { 'gain-map': 0, dropped: 0, none: 0, refused: 0 };
    const before = { held: heldBeside(), alive: await aliveBytes() };
    for (let seed = 0; seed < mutations; seed += 1) {
      const original = originals[seed % originals.length] ?? new Uint8Array();
      const file = mutated(original, new Random(seed));
      const options = wanted[Math.floor(seed / originals.length) % wanted.length] ?? {};
      const result = answerTo(file, options);
      if (result instanceof ImageError) {
        tally.refused += 1;
        continue;
      }
      tally[result.hdr ?? 'none'] += 1;
      const decoding = sharp(result.bytes, { failOn: 'error' }).raw().toBuffer();
      await expect(decoding, `seed ${seed}`).resolves.toBeInstanceOf(Buffer);
      if (options.width === undefined) {
        expect(result.bytes.length, `seed ${seed}`).toBeLessThanOrEqual(file.length);
      }
      if (result.hdr === 'gain-map') {
        const { map } = await seenUltraHdr(result.bytes);
        const mapped = sharp(map, { failOn: 'error' }).raw().toBuffer();
        await expect(mapped, `seed ${seed}`).resolves.toBeInstanceOf(Buffer);
      }
    }
    for (const count of Object.values(tally)) expect(count).toBeGreaterThan(10);
    expect(traps).toEqual([]);
    expect(heldBeside()).toBe(before.held);
    expect((await aliveBytes()) - before.alive).toBeLessThan(1_000_000);
    expect(arena.bytes).toBeLessThanOrEqual(arenaCeiling);
    expect(sideArena.bytes).toBeLessThanOrEqual(sideCeiling);
  });
});

/** What the ledger counts beside the arenas. */
function heldBeside(): number {
  return ledger.held - arena.bytes - sideArena.bytes;
}

/** Of buffers, once all that can be collected has been. */
async function aliveBytes(): Promise<number> {
  await mostHeld(() => {});
  await mostHeld(() => {});
  return process.memoryUsage().arrayBuffers - arena.bytes - sideArena.bytes;
}
