import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { viewOf } from '../../../../../src/image/container/byte-cursor.ts';
import { runWebpKernel } from '../../../../../src/image/formats/webp/kernel.ts';
import { type WebpPicture, webpFrames } from '../../../../../src/image/formats/webp/reader.ts';
import { WebpRows, webpRowBytes } from '../../../../../src/image/formats/webp/rows.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { CodecError } from '../../../../../src/image/wasm/codec.ts';
import { animation } from '../pictures.ts';
import { drawn, encoded, libwebpPixels } from './kernel/libwebp-pictures.ts';
import { inspection, pixelsOf } from './reading.ts';

const veiled = drawn(75, 41, (x, y) => [3 * x, 5 * y, x ^ y, (x * y) & 255]);
const opaque = drawn(75, 41, (x, y) => [3 * x, 5 * y, x ^ y, 255]);

const files = {
  lossy: encoded(opaque, {}),
  'lossy with alpha': encoded(veiled, {}),
  'lossy with raw alpha': encoded(veiled, { alpha_compression: 0 }),
  lossless: encoded(veiled, { lossless: 1 }),
  'lossless without alpha': encoded(opaque, { lossless: 1 }),
};

describe('the rows of a WebP', () => {
  it.each(Object.entries(files))('are those of libwebp: %s', (_name, file) => {
    expect(pixelsOf(file).equals(libwebpPixels(file) ?? Buffer.alloc(0))).toBe(true);
  });

  it.each(Object.entries(files))('can be gone through again: %s', (_name, file) => {
    const { picture } = inspection(file);
    expect(pixelsOf(file, picture, 3).equals(pixelsOf(file))).toBe(true);
  });

  it('lie behind profile and metadata in an extended file', async () => {
    for (const lossless of [false, true]) {
      const file = await sharp(veiled.data, { raw: { width: 75, height: 41, channels: 4 } })
        .withIccProfile('p3')
        .withMetadata({ orientation: 6 })
        .webp({ lossless })
        .toBuffer();
      expect(inspection(file).picture.alpha === null).toBe(lossless);
      expect(pixelsOf(file).equals(libwebpPixels(file) ?? Buffer.alloc(0))).toBe(true);
    }
  });

  it.each([false, true])('are those of each frame, lossless: %s', async (lossless) => {
    const file = await animation().webp({ lossless }).toBuffer();
    const frames = [...webpFrames(viewOf(file))].map(({ picture }) => picture);
    expect(frames).toHaveLength(3);
    expect(frames[0]).toEqual(inspection(file).picture);
    for (const frame of frames) {
      expect(pixelsOf(file, frame).equals(stillPixels(file, frame))).toBe(true);
    }
  });

  it('end with an error where the data do', () => {
    for (const [name, file] of Object.entries(files)) {
      const { picture } = inspection(file);
      const { kind, range } = picture.color;
      const cut = { ...picture, color: { kind, range: { ...range, length: range.length >> 1 } } };
      expect(() => pixelsOf(file, cut), name).toThrow(CodecError);
      if (!picture.alpha) continue;
      const alpha = { ...picture.alpha, length: picture.alpha.length >> 1 };
      expect(() => pixelsOf(file, { ...picture, alpha }), name).toThrow(CodecError);
    }
  });

  it('are refused where they are of another size than stated', () => {
    for (const file of [files.lossy, files.lossless]) {
      const { picture } = inspection(file);
      expect(() => pixelsOf(file, { ...picture, width: 74 })).toThrow(CodecError);
      expect(() => pixelsOf(file, { ...picture, height: 42 })).toThrow(CodecError);
    }
  });
});

/** Bytes of the arena that are taken before the first row. */
function openedBytes(file: Uint8Array, picture: WebpPicture): number {
  const work = runWebpKernel(file, function* (kernel) {
    yield* new WebpRows(kernel, picture).begin();
    return kernel.taken();
  });
  return runAtOnce(work);
}

describe('the memory of rows', () => {
  it('is what was predicted', () => {
    for (const width of [1, 17, 75, 4001]) {
      const size = { width, height: 20 };
      const file = encoded(
        drawn(width, 20, () => [1, 2, 3, 255]),
        { method: 0 },
      );
      const { picture } = inspection(file);
      arena.reserve(webpRowBytes(picture));
      const taken = openedBytes(file, picture);
      expect(picture).toMatchObject(size);
      expect(taken).toBe(webpRowBytes(picture));
    }
  });

  it('is no more than predicted with alpha and without loss', () => {
    for (const file of Object.values(files)) {
      const { picture } = inspection(file);
      arena.reserve(webpRowBytes(picture));
      const taken = openedBytes(file, picture);
      expect(taken).toBeLessThanOrEqual(webpRowBytes(picture));
    }
  });

  it('is that of rows where the picture is lossy, however high it is', () => {
    const color = { kind: 'lossy', range: { offset: 20, length: 1e6 } } as const;
    const bytes = (height: number) =>
      webpRowBytes({ width: 16_383, height, color, alpha: null, hasAlpha: false });
    expect(bytes(16_383)).toBe(bytes(16));
    expect(bytes(16)).toBeLessThan(60 * 16_383 + 0.3 * 2 ** 20);
  });
});

/** What libwebp makes of a frame's chunks in a file of their own. */
function stillPixels(file: Uint8Array, { width, height, color, alpha }: WebpPicture): Buffer {
  const part = (type: string, { offset, length }: { offset: number; length: number }) => {
    const chunk = Buffer.alloc(8 + length + (length & 1));
    chunk.write(type);
    chunk.writeUInt32LE(length, 4);
    chunk.set(file.subarray(offset, offset + length), 8);
    return chunk;
  };
  const extended = Buffer.alloc(18);
  extended.write('VP8X');
  extended.writeUInt32LE(10, 4);
  extended[8] = 0x10;
  extended.writeUIntLE(width - 1, 12, 3);
  extended.writeUIntLE(height - 1, 15, 3);
  const chunks = alpha ? [extended, part('ALPH', alpha)] : [];
  chunks.push(part(color.kind === 'lossy' ? 'VP8 ' : 'VP8L', color.range));
  const header = Buffer.from('RIFF\0\0\0\0WEBP');
  const still = Buffer.concat([header, ...chunks]);
  still.writeUInt32LE(still.length - 8, 4);
  const pixels = libwebpPixels(still);
  if (!pixels) throw new Error('libwebp refuses the frame');
  return pixels;
}
