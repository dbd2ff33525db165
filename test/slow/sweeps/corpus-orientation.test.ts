import { basename } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { OutputType } from '../../../src/image/formats/facts.ts';
import { noMetadata } from '../../../src/image/metadata/metadata.ts';
import { encode, SpareCpu } from '../../../src/image/pipeline/attempts.ts';
import { candidatesFor, type EncodeCandidate } from '../../../src/image/pipeline/candidates.ts';
import { type Conversion, conversionsOf } from '../../../src/image/pipeline/conversion.ts';
import { defaultOptions } from '../../../src/image/pipeline/options.ts';
import { PreparedPixels } from '../../../src/image/pipeline/prepare-pixels.ts';
import { readSource } from '../../../src/image/pipeline/read-source.ts';
import { runAtOnce } from '../../../src/image/slices.ts';
import { maxCpuMs, memoryBudget } from '../../../src/image/wasm/budgets.ts';
import { ledger } from '../../../src/image/wasm/memory-ledger.ts';
import { isFull } from '../../support/full.ts';
import { difference } from '../../support/pictures.ts';
import { corpusSamples, hasCorpus } from '../../unit/image/formats/samples.ts';

const photos = corpusSamples().filter(({ name }) => name.startsWith('orientation/'));
const named = photos.map(({ name, bytes }) => ({ name: basename(name), bytes }));
/** A photo in full takes seconds on each way: at length all of them. */
const inFull = named.filter(({ name }) => isFull || name.includes('Landscape_6'));

describe.skipIf(!hasCorpus)('a photo that has to be turned', { timeout: 300_000 }, () => {
  it.each(inFull)('is upright in a PNG, sample for sample: $name', async ({ bytes }) => {
    const expected = await upright(bytes);
    for (const { way, file } of madeOnAllWays(bytes, 'png')) {
      expect((await upright(file)).equals(expected), way).toBe(true);
    }
  });

  it.each(named)('is upright in a JPEG, sent as PNG or WebP: $name', async ({ bytes }) => {
    const { orientation } = await sharp(bytes).metadata();
    for (const format of ['png', 'webp'] as const) {
      const tagged = await sharp(bytes, { autoOrient: false })
        .resize(241, 173, { fit: 'fill' })
        .withMetadata({ orientation: orientation ?? 1 })
        .toFormat(format, { lossless: true })
        .toBuffer();
      const expected = await upright(tagged);
      const [first, ...others] = madeOnAllWays(tagged, 'jpeg');
      const made = await upright(first?.file ?? Buffer.of());
      expect(difference(made, expected), format).toBeLessThan(4);
      for (const { way, file } of others) {
        expect((await upright(file)).equals(made), `${format}, ${way}`).toBe(true);
      }
    }
  });
});

/** Samples as they are shown. */
function upright(file: Uint8Array): Promise<Buffer> {
  return sharp(file, { failOn: 'error', ignoreIcc: true })
    .autoOrient()
    .removeAlpha()
    .raw()
    .toBuffer();
}

/** A picture in its own size and another format, on each way that there is. */
function madeOnAllWays(bytes: Uint8Array, type: OutputType): { way: string; file: Buffer }[] {
  const file = Uint8Array.from(bytes);
  const source = readSource(file);
  if (source.kind !== 'source') throw new Error(source.kind);
  const quality = type === 'png' ? 'lossless' : 90;
  const candidates = candidatesFor(type, source, { ...defaultOptions, format: type, quality });
  if ('kind' in candidates) throw new Error(candidates.reason);
  const candidate = candidates.find((one): one is EncodeCandidate => one.kind === 'encode');
  if (!candidate) throw new Error('nothing is encoded');
  const appearance = { icc: candidate.icc, metadata: noMetadata };
  const encoding = { file, source, candidate, appearance, makeWay: null };
  return [...conversionsOf(candidate, source)].filter(isPicked).map((way) => {
    const pixels = new PreparedPixels(file, source);
    const result = runAtOnce(encode(encoding, [way], pixels, new SpareCpu(maxCpuMs)));
    pixels.end();
    expect(ledger.held).toBeLessThanOrEqual(memoryBudget);
    if (result.kind !== 'finished') throw new Error(`${nameOf(way)}: ${JSON.stringify(result)}`);
    return { way: nameOf(way), file: Buffer.from(result.bytes) };
  });
}

/** Of all bands the fewest and some. */
function isPicked(way: Conversion): boolean {
  return way.kind === 'kept' || [1, 3].includes(way.bands);
}

function nameOf(way: Conversion): string {
  return way.kind === 'kept' ? 'kept' : `reader in ${way.reader}, ${way.bands} bands`;
}
