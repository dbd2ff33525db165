import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type autocannon from 'autocannon';
import sharp from 'sharp';
import { plainPicture } from '../../test/support/pictures.ts';

const samples = join(import.meta.dirname, '../../test/support/samples');

export interface Picture {
  readonly bytes: Buffer;
  /** Query string with the options of the call. */
  readonly query: string;
}

/** Combines every picture with every key. */
export function requestsOf(
  pictures: readonly Picture[],
  keys: readonly string[],
): autocannon.Request[] {
  return keys.flatMap((key) =>
    pictures.map(({ bytes, query }) => ({
      method: 'POST' as const,
      path: `/v1/optimize${query}`,
      headers: { authorization: `Bearer ${key}` },
      body: bytes,
    })),
  );
}

export async function tinyPicture(): Promise<Picture> {
  return { bytes: await plainPicture(64, 64).jpeg({ quality: 97 }).toBuffer(), query: '' };
}

/** One megapixel. */
export async function usualPicture(): Promise<Picture> {
  return { bytes: await plainPicture(1200, 833).jpeg({ quality: 95 }).toBuffer(), query: '' };
}

/** A picture of nothing but noise, like the noise of a camera in the dark. */
function noisyPicture(width: number, height: number) {
  const noise = { type: 'gaussian', mean: 128, sigma: 20 } as const;
  return sharp({ create: { width, height, channels: 3, background: '#808080', noise } });
}

/** One pixel, to measure the overhead of a request. */
export async function onePixel(): Promise<Picture> {
  return { bytes: await plainPicture(1, 1).png().toBuffer(), query: '' };
}

/** The sample logo, with alpha. */
export async function logo(): Promise<Picture> {
  return { bytes: await readFile(join(samples, 'logo.png')), query: '' };
}

/** A photo of four megapixels and 1.8 MB. */
export async function photo(): Promise<Picture> {
  return { bytes: await noisyPicture(2300, 1700).jpeg({ quality: 90 }).toBuffer(), query: '' };
}

/** A picture that takes several seconds: noise as lossless AVIF. */
export async function longPicture(): Promise<Picture> {
  const png = await noisyPicture(1200, 900).png({ compressionLevel: 1 }).toBuffer();
  return { bytes: png, query: '?format=avif&quality=lossless' };
}

/** Pictures that take seconds, each in another way. */
export async function longPictures(): Promise<readonly (Picture & { readonly what: string })[]> {
  const twelve = noisyPicture(4000, 3000);
  const jpeg = await twelve.clone().jpeg({ quality: 85 }).toBuffer();
  const progressive = await noisyPicture(6000, 4000)
    .jpeg({ quality: 80, progressive: true })
    .toBuffer();
  return [
    { what: '12 megapixels → AVIF', bytes: jpeg, query: '?format=avif' },
    { what: 'a GIF of twelve frames', bytes: await noisyGif(320, 240, 12), query: '?format=auto' },
    { what: '12 megapixels → PNG', bytes: jpeg, query: '?format=png&quality=80' },
    { what: '24 megapixels, progressive → WebP', bytes: progressive, query: '?format=webp' },
  ];
}

async function noisyGif(width: number, height: number, frames: number): Promise<Buffer> {
  const pixels = await noisyPicture(width, height * frames)
    .removeAlpha()
    .raw()
    .toBuffer();
  const raw = { width, height: height * frames, channels: 3, pageHeight: height } as const;
  return sharp(pixels, { raw }).gif().toBuffer();
}

/** One picture for every path through the service, small enough to send thousands. */
export async function allKinds(): Promise<Picture[]> {
  const picture = plainPicture(120, 80);
  const jpeg = await picture.clone().jpeg({ quality: 97 }).toBuffer();
  const png = await picture.clone().png({ compressionLevel: 1 }).toBuffer();
  const webp = await picture.clone().webp({ quality: 98 }).toBuffer();
  return [
    { bytes: jpeg, query: '' },
    { bytes: jpeg, query: '?width=60' },
    { bytes: jpeg, query: '?format=webp' },
    { bytes: png, query: '' },
    { bytes: png, query: '?quality=lossless' },
    { bytes: png, query: '?format=jpeg&quality=80' },
    { bytes: webp, query: '' },
    { bytes: jpeg, query: '?width=48&format=avif' },
  ];
}

const commentSize = 65_000;

/** Quick to process, slow to receive: a small JPEG with 12 MiB of comments. */
export async function heavyPicture(): Promise<Uint8Array<ArrayBuffer>> {
  const jpeg = await plainPicture(400, 300).jpeg({ quality: 95 }).toBuffer();
  const comment = new Uint8Array(2 + commentSize);
  // COM marker, and the length of the segment including the length field itself (ITU-T T.81, B.2.4.5).
  comment.set([0xff, 0xfe, commentSize >> 8, commentSize & 0xff]);
  const comments = Array.from(
    { length: Math.floor((12 * 2 ** 20) / comment.length) },
    () => comment,
  );
  const startOfImage = 2;
  return Uint8Array.from(
    Buffer.concat([jpeg.subarray(0, startOfImage), ...comments, jpeg.subarray(startOfImage)]),
  );
}
