import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { joinBytes } from '../../../../../src/image/container/assemble.ts';
import type { Coding, Encoded, RowEncoder } from '../../../../../src/image/formats/coding.ts';
import {
  factsOf,
  holdsAll,
  type OutputType,
  outputFacts,
} from '../../../../../src/image/formats/facts.ts';
import type { OutputFacts } from '../../../../../src/image/formats/format-facts.ts';
import type { Appearance } from '../../../../../src/image/formats/inspection.ts';
import { outputFormat } from '../../../../../src/image/formats/registry.ts';
import { type MetadataKind, noMetadata } from '../../../../../src/image/metadata/metadata.ts';
import type { PictureShape, Raster } from '../../../../../src/image/pixels/raster.ts';
import { pacedRows, type RowSource, rowsOf } from '../../../../../src/image/pixels/row-source.ts';
import { runAtOnce, type Slices } from '../../../../../src/image/slices.ts';
import { Arena, arena } from '../../../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../../../src/image/wasm/budgets.ts';
import { NoRoomForResult } from '../../../../../src/image/wasm/codec.ts';
import { optimize } from '../../../../support/engine.ts';
import { displayP3Profile } from '../../../../support/icc.ts';
import { decodedJxl } from '../../../../support/jxl.ts';
import { Random } from '../../../../support/random.ts';
import { rasterOf } from '../../../../support/rows.ts';
import { blocks } from '../blocks.ts';
import { animation, metadataOf, profileOf, rewrapped } from '../pictures.ts';

/** What every format of the registry that is written has to do, whatever it is. */
const stillFacts = outputFacts.filter(({ output }) => output.holdsStills);
const animationFacts = outputFacts.filter(({ output }) => output.holdsAnimations);
const kinds: readonly MetadataKind[] = ['exif', 'xmp', 'iptc'];
const bare: Appearance = { icc: null, metadata: noMetadata };

/** Drawn and soft at once, with all levels of alpha. */
const picture = rasterOf(61, 43, (x, y, channel) =>
  channel === 3 ? Math.min(255, 6 * x) : (4 * x + (channel + 1) * y + 40 * ((x >> 3) & 1)) & 255,
);
const opaque = rasterOf(picture.width, picture.height, (x, y, channel) =>
  channel === 3 ? 255 : (picture.data[4 * (y * picture.width + x) + channel] ?? 0),
);
const random = new Random(5);
const noise = rasterOf(200, 150, (_x, _y, channel) => (channel === 3 ? 255 : random.word() & 255));
const harshNoise = rasterOf(200, 150, (_x, _y, channel) =>
  channel === 3 || (random.word() & 1) === 1 ? 255 : 0,
);

/** The finest coding of a format. */
function codingOf({ isExact }: OutputFacts): Coding {
  const quality = isExact ? 'lossless' : 95;
  return { quality, exact: isExact, grey: false, icc: null };
}

function shapeOf({ width, height, data }: Raster): PictureShape {
  return { width, height, hasAlpha: data.some((sample, i) => i % 4 === 3 && sample < 255) };
}

/** All encoders of a format for a raster: those of the main arena, and of the side arena. */
function encodersOf(type: OutputType, raster: Raster, coding: Coding): readonly RowEncoder[] {
  const { write } = outputFormat(type);
  const shape = shapeOf(raster);
  return [...write.encoders(shape, coding), ...(write.asideEncoders?.(shape, coding) ?? [])];
}

/** More than the file of the picture takes. */
const leftoverBytes = 65_536;

interface Limits {
  readonly appearance?: Appearance;
  readonly maxBytes?: number;
  /** What the arena holds before. */
  readonly leftover?: number;
}

/**
 * Begins to encode in a new arena, which grows to what the encoder states and no further. A codec that reads strips has
 * the main one.
 */
function encodingBy(
  encoder: RowEncoder,
  rows: RowSource,
  { appearance = bare, maxBytes = 2 ** 30, leftover = 0 }: Limits = {},
): Slices<Encoded> {
  const memory = encoder.strips ? arena : new Arena(4);
  memory.reserve(Math.min(encoder.maxBytes, arenaCeiling));
  memory.firstBytes(Math.min(encoder.maxBytes, leftoverBytes)).fill(leftover);
  const run = { memory, appearance, maxBytes, bufferBytes: 2 ** 30 };
  return encoder.encode(rows, run);
}

function encodedBy(
  encoder: RowEncoder,
  raster: Raster,
  limits: Limits = {},
): Encoded & { readonly file: Uint8Array<ArrayBuffer> } {
  const encoded = runAtOnce(encodingBy(encoder, rowsOf(raster), limits));
  return { ...encoded, file: joinBytes(...encoded.parts) };
}

/** Predicted CPU time of a row, in milliseconds, with which all rows pause. */
const slowMs = 100;

/** RGBA, as another decoder shows the file. */
async function shown(type: OutputType, file: Uint8Array): Promise<Buffer> {
  if (type !== 'jxl') return sharp(file).ensureAlpha().raw().toBuffer();
  const { width, height, channels, data } = await decodedJxl(file);
  const raw = { width, height, channels: channels as 1 | 3 };
  return sharp(data, { raw }).ensureAlpha().raw().toBuffer();
}

/** Mean and largest difference of samples. */
function differences(a: Uint8Array, b: ArrayLike<number>): { mean: number; most: number } {
  expect(a.length).toBe(b.length);
  const all = Array.from(a, (sample, i) => Math.abs(sample - (b[i] ?? 0)));
  return {
    mean: all.reduce((sum, one) => sum + one, 0) / all.length,
    most: Math.max(...all),
  };
}

describe.each(stillFacts)('the writer of $name', ({ type, output }) => {
  const coding = codingOf(output);

  it('writes the pixels, with alpha if it has any, by each of its encoders', async () => {
    const raster = output.holdsAlpha ? picture : opaque;
    const encoders = encodersOf(type, raster, coding);
    expect(encoders.length).toBeGreaterThan(0);
    for (const encoder of encoders) {
      const { file, quality } = encodedBy(encoder, raster);
      const { mean, most } = differences(await shown(type, file), raster.data);
      if (output.isExact) expect([most, quality]).toEqual([0, 'lossless']);
      else expect(mean).toBeLessThan(4);
    }
  });

  const lossy = { ...coding, quality: 90, exact: false };

  it.each([
    { quality: coding.quality, coding, kind: 'even samples', raster: noise },
    { quality: lossy.quality, coding: lossy, kind: 'extreme values', raster: harshNoise },
  ])('gets by on the memory that it states, even with noise of $kind, at $quality', (given) => {
    const { raster } = given;
    const encoders = encodersOf(type, raster, given.coding);
    const made = encoders.filter((encoder) => {
      expect(encoder.photoBytes).toBeLessThanOrEqual(encoder.maxBytes);
      expect(encoder.bufferBytes).toBeLessThanOrEqual(encoder.maxBufferBytes);
      try {
        const { file } = encodedBy(encoder, raster);
        expect(file.length).toBeLessThanOrEqual(encoder.maxBufferBytes);
        return true;
      } catch (error) {
        // made for photos: another one is tried
        expect(error).toMatchObject({ name: 'CodecError', exhausted: true });
        return false;
      }
    });
    // the leanest of those in the main arena, in case the others run out
    const inArena = outputFormat(type).write.encoders(shapeOf(raster), given.coding).length;
    expect(made).toContain(encoders[inArena - 1]);
  });

  it('tells a result that is too long from memory that ran out', () => {
    for (const one of [coding, lossy]) {
      for (const stated of encodersOf(type, opaque, one)) {
        const encoder = { ...stated, maxBytes: arenaCeiling };
        const maxBytes = encodedBy(encoder, opaque).file.length >> 1;
        expect(() => encodedBy(encoder, opaque, { maxBytes })).toThrow(NoRoomForResult);
      }
    }
  });

  it('writes nothing of what its arena held before', () => {
    for (const encoder of encodersOf(type, opaque, coding)) {
      const { file } = encodedBy(encoder, opaque);
      expect(encodedBy(encoder, opaque, { leftover: 0xa5 }).file).toEqual(file);
    }
  });

  it('pauses as its rows do, may be ended there, and encodes again', () => {
    for (const encoder of encodersOf(type, opaque, coding)) {
      const { file } = encodedBy(encoder, opaque);
      let pauses = 0;
      const work = encodingBy(encoder, pacedRows(rowsOf(opaque), slowMs));
      while (!work.next().done) pauses += 1;
      expect(pauses).toBeGreaterThan(encoder.strips ? 0 : opaque.height - 1);
      for (const reached of [1, pauses >> 1, pauses]) {
        const ended = encodingBy(encoder, pacedRows(rowsOf(opaque), slowMs));
        for (let pause = 0; pause < reached; pause += 1) expect(ended.next().done).toBe(false);
        ended.return({ parts: [], quality: 'lossless' });
        expect(encodedBy(encoder, opaque).file).toEqual(file);
      }
    }
  });

  it('keeps the profile and the metadata that its facts say, and no others', async () => {
    const icc = displayP3Profile();
    const appearance = { icc, metadata: blocks };
    const { holdsProfiles, holdsMetadata } = output;
    const held = kinds.map((kind) => [
      kind,
      holdsMetadata.some((one) => one === kind) ? blocks[kind] : null,
    ]);
    for (const encoder of encodersOf(type, opaque, { ...coding, icc })) {
      const { file } = encodedBy(encoder, opaque, { appearance });
      const plain = encodedBy(encoder, opaque).file;
      if (factsOf(type).isInput) {
        expect(metadataOf(file)).toEqual(Object.fromEntries(held));
        expect(profileOf(file)).toEqual(holdsProfiles ? icc : null);
        expect([metadataOf(plain), profileOf(plain)]).toEqual([noMetadata, null]);
      } else {
        // Nothing here reads it: blocks stand there as they are, and the profile is compressed.
        for (const kind of kinds) {
          const isHeld = holdsMetadata.some((one) => one === kind);
          expect(Buffer.from(file).includes(blocks[kind]), kind).toBe(isHeld);
        }
        const profiled = encodedBy(encoder, opaque, { appearance: { ...bare, icc } }).file;
        expect(profiled.length > plain.length + 100).toBe(holdsProfiles);
      }
    }
  });
});

describe.each(animationFacts)('the writer of animated $name', ({ type, output }) => {
  it('keeps the metadata that its facts say, and says if others are lost', {
    tags: 'slow',
  }, async () => {
    const file = Uint8Array.from(await animation().webp({ lossless: true }).toBuffer());
    const source = type === 'webp' ? 'png' : 'webp';
    const laden = optimize(file, { format: source, metadata: 'all' }).bytes;
    const { bytes } = optimize(rewrapped(laden, blocks), { format: type, metadata: 'all' });
    const found = metadataOf(bytes);
    for (const kind of kinds) {
      const isHeld = output.holdsMetadata.some((one) => one === kind);
      expect(found[kind] !== null, kind).toBe(isHeld && (kind !== 'iptc' || source === 'png'));
    }
    expect((await sharp(bytes, { animated: true }).metadata()).format).toBe(type);
  });
});

describe('metadata that a format has no place for', () => {
  it.each(outputFacts)('makes a result of $name incomplete', (facts) => {
    const { holdsMetadata }: OutputFacts = facts.output;
    for (const kind of kinds) {
      const metadata = { ...noMetadata, [kind]: blocks[kind] };
      expect(holdsAll(facts, metadata)).toBe(holdsMetadata.includes(kind));
    }
    expect(holdsAll(facts, noMetadata)).toBe(true);
  });
});
