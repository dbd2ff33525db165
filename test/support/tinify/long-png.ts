import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { plainPicture } from '../pictures.ts';

/** A valid PNG of 64 × 64, extended to this many bytes by noise after its end. */
export async function longPng(bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const file = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 65_536) {
    file.set(randomBytes(Math.min(65_536, bytes - at)), at);
  }
  file.set(await plainPicture(64, 64).png().toBuffer());
  return file;
}

/** Width and height of a picture, after decoding it completely. */
export async function sizeOf(file: Uint8Array): Promise<[width: number, height: number]> {
  const { info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  return [info.width, info.height];
}
