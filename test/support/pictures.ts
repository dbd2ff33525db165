import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';

const sampleNames = ['photo.jpg', 'phone.jpg', 'interface.png', 'logo.png'];

/** The files of the sample pictures. */
export const sampleFiles: readonly string[] = sampleNames.map((name) =>
  join(import.meta.dirname, 'samples', name),
);

/** A sample picture as cameras and other programs write it: the PNG files without their size optimization. */
export async function sample(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const file = await readFile(join(import.meta.dirname, 'samples', name));
  if (!name.endsWith('.png')) return Uint8Array.from(file);
  return Uint8Array.from(await sharp(file).png({ compressionLevel: 6, palette: false }).toBuffer());
}

/** A photo of 480 × 320 pixels, for what does not depend on its size: AVIF takes a second for a megapixel. */
export async function smallPhoto(width = 480): Promise<Uint8Array<ArrayBuffer>> {
  const height = Math.round((width * 2) / 3);
  const photo = sharp(await sample('photo.jpg')).resize(width, height, { fit: 'cover' });
  return Uint8Array.from(await photo.jpeg({ quality: 92 }).toBuffer());
}

/** The upper left quarter of the logo, 256 × 256 pixels, half of which are transparent. */
export async function smallLogo(): Promise<Uint8Array<ArrayBuffer>> {
  const logo = sharp(await sample('logo.png')).extract({
    left: 0,
    top: 0,
    width: 256,
    height: 256,
  });
  return Uint8Array.from(await logo.png({ compressionLevel: 6 }).toBuffer());
}

/** Pixels as seen by an independent decoder, RGBA, as coded. */
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

/** A gray ramp with some structure, quick to create at any size. */
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

/**
 * A picture that needs nearly the whole arena to be decoded, and leaves too little memory for two of the largest
 * bodies.
 */
export async function demandingPicture(): Promise<Uint8Array<ArrayBuffer>> {
  const avif = plainPicture(1680, 1580).avif({ effort: 0, bitdepth: 10 });
  return Uint8Array.from(await avif.toBuffer());
}

/** The options with which it needs the most memory besides the arena: less remains than the largest body needs. */
export const demandingQuery = '?format=jpeg&quality=100';

/** An 8-bit RGBA PNG with this header and this deflated data, whether they match or not. */
export function pngOf(width: number, height: number, data: Buffer): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const chunks = [chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))];
  return Uint8Array.from(Buffer.concat([signature, ...chunks]));
}

/** Adds a chunk to a PNG, directly after its header. */
export function withPngChunk(png: Uint8Array, type: string, data: Uint8Array): Buffer {
  const headerEnd = 33;
  return Buffer.concat([png.subarray(0, headerEnd), chunk(type, data), png.subarray(headerEnd)]);
}

/** A chunk with its length and checksum. */
export function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

/**
 * Output of this service's AVIF encoder, 16 × 12 pixels: `colr` of kind nclx with primaries and transfer 2
 * ("unspecified"), and matrix 6, or 0 in a lossless file. Stored as bytes, because the encoder's module has to be
 * built, and these tests are only about its container.
 */
export const encoderAvif = {
  lossyWithAlpha: file([
    'AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAAGNbWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAA',
    'AAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAsaWxvYwAAAABEAAACAAEAAAABAAAB1QAAADEAAgAAAAEAAAG1',
    'AAAAIAAAAEJpaW5mAAAAAAACAAAAGmluZmUCAAAAAAEAAGF2MDFDb2xvcgAAAAAaaW5mZQIAAAAAAgAAYXYwMUFscGhh',
    'AAAAABppcmVmAAAAAAAAAA5hdXhsAAIAAQABAAAAw2lwcnAAAACdaXBjbwAAABRpc3BlAAAAAAAAABAAAAAMAAAAEHBp',
    'eGkAAAAAAwgICAAAAAxhdjFDgQAMAAAAABNjb2xybmNseAACAAIABoAAAAAOcGl4aQAAAAABCAAAAAxhdjFDgQAcAAAA',
    'ADhhdXhDAAAAAHVybjptcGVnOm1wZWdCOmNpY3A6c3lzdGVtczphdXhpbGlhcnk6YWxwaGEAAAAAHmlwbWEAAAAAAAAA',
    'AgABBAECgwQAAgQBBYYHAAAAWW1kYXQSAAoFGAz+2FQyFRZAGGEAe1tJ8oOpK7Du77DYOcy8yhIACgkYDP7YIEBA0IAy',
    'IhZABhhhhAAxt5C+co4gZlYj/k0hfNt+LhihvRKxP090jaw=',
  ]),
  lossless: file([
    'AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAA',
    'AAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAAMAAAAAoaWluZgAA',
    'AAAAAQAAABppbmZlAgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAABAAAAAMAAAA',
    'EHBpeGkAAAAAAwgICAAAAAxhdjFDgSAAAAAAABNjb2xybmNseAACAAIAAIAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAA',
    'AMhtZGF0EgAKCDgM/thAgIAkMrEBEAAAyRjrRImdE8XR5GNxd8jIz803OLMo3zZalj7//9i2FDE84LYbGuoqL79JzXKV',
    'yb9+ee97U86Pcl1n86XlyMOqXlQuU4oPgK6OQ60lUc2iJ/Z+n/xghd7XzlxS5DMcQnO9HzFrX5clsTiGjJkcxpFx5Uvs',
    'Of6cWHlG3GLszC/ii0ZQv/5EhmLoySdsDfDnwyBsnixg6s9XgHcTmoi9i3D01luPyBmV86jniElm1KVy',
  ]),
} as const;

function file(lines: readonly string[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(lines.join(''), 'base64'));
}

/** A picture as it is coded, without applying its profile or orientation, with all frames. */
interface Decoded {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly data: Buffer;
}

/** Decodes with sharp. A warning of the decoder is an error, unless the input already caused it. */
export async function decoded(file: Uint8Array, { lenient = false } = {}): Promise<Decoded> {
  const { format } = await sharp(file).metadata();
  // The tiles of an AVIF grid would count as frames.
  const animated = format !== 'heif';
  const failOn = lenient ? 'none' : 'warning';
  const { data, info } = await sharp(file, {
    ...{ animated, ignoreIcc: true, failOn },
    limitInputPixels: false,
  })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels: info.channels, data };
}
