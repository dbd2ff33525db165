import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';

const sampleNames = ['photo.jpg', 'phone.jpg', 'interface.png', 'logo.png'];

/** The sample pictures' files. */
export const sampleFiles: readonly string[] = sampleNames.map((name) =>
  join(import.meta.dirname, 'samples', name),
);

/** A sample picture as cameras and other programs write it: the PNG files without the care taken to make them small. */
export async function sample(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const file = await readFile(join(import.meta.dirname, 'samples', name));
  if (!name.endsWith('.png')) return Uint8Array.from(file);
  return Uint8Array.from(await sharp(file).png({ compressionLevel: 6, palette: false }).toBuffer());
}

/** Pixels as an independent decoder sees them, RGBA, as coded. */
export async function pixels(file: Uint8Array): Promise<Buffer> {
  return sharp(file, { autoOrient: false }).ensureAlpha().raw().toBuffer();
}

/** Mean absolute difference of samples, 0 to 255. */
export function difference(a: Buffer, b: Buffer): number {
  if (a.length !== b.length) throw new RangeError('pictures of different size');
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += Math.abs((a[i] ?? 0) - (b[i] ?? 0));
  return sum / a.length;
}

/** A grey ramp with some structure, quick to make at any size. */
export function plainPicture(width: number, height: number) {
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0, i = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, i += 3) {
      data[i] = (x * 255) / width;
      data[i + 1] = (y * 255) / height;
      data[i + 2] = (x ^ y) & 0xff;
    }
  }
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/** An 8-bit RGBA PNG with this header and this deflated data, whether they go together or not. */
export function pngOf(width: number, height: number, data: Buffer): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const chunks = [chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))];
  return Uint8Array.from(Buffer.concat([signature, ...chunks]));
}

/** The same PNG with a chunk more, right after its header. */
export function withPngChunk(png: Uint8Array, type: string, data: Uint8Array): Buffer {
  const headerEnd = 33;
  return Buffer.concat([png.subarray(0, headerEnd), chunk(type, data), png.subarray(headerEnd)]);
}

/** With its length and checksum. */
export function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}
