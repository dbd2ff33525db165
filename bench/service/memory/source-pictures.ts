import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import type { ImageType } from '../../../src/image/formats/facts.ts';
import { sample } from '../../../test/support/pictures.ts';
import type { Kind } from './configurations.ts';

/** The largest body that the service takes, in bytes. */
const mostBytes = 32 * 1024 * 1024;

/** Qualities to choose from: the best one whose file is small enough. */
const qualities = [92, 85, 80, 75, 65, 50, 35, 20];

/** Kinds that are coded at another quality when they get too large. */
const hasQuality: ReadonlySet<Kind> = new Set(['JPEG', 'progressive JPEG']);

export const typeOf: Readonly<Record<Kind, ImageType>> = {
  JPEG: 'jpeg',
  'detailed JPEG': 'jpeg',
  'progressive JPEG': 'jpeg',
  PNG: 'png',
  'PNG, RGBA': 'png',
  WebP: 'webp',
  AVIF: 'avif',
};

/** A file on disk, and what is known of it. */
export interface SourcePicture {
  readonly path: string;
  readonly pixels: number;
  readonly bytes: number;
}

/** Pictures of 4:3 in every size and kind, of which one photo is the tile; each is made once. */
export class SourcePictures {
  readonly #folder: string;
  readonly #tile: Buffer;
  readonly #made = new Map<string, Promise<SourcePicture>>();

  private constructor(folder: string, tile: Buffer) {
    this.#folder = folder;
    this.#tile = tile;
  }

  static async of(photo: Uint8Array): Promise<SourcePictures> {
    // upright and without a profile
    const tile = await sharp(photo).autoOrient().png({ compressionLevel: 1 }).toBuffer();
    return new SourcePictures(await mkdtemp(join(tmpdir(), 'pictures-')), tile);
  }

  make(kind: Kind, pixels: number): Promise<SourcePicture> {
    const height = 2 * Math.round(Math.sqrt((pixels * 3) / 4) / 2);
    const name = `${kind} ${height}`;
    const known = this.#made.get(name);
    if (known) return known;
    const made = this.#written(kind, name, 2 * Math.round((height * 2) / 3), height);
    this.#made.set(name, made);
    return made;
  }

  async end(): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }

  async #written(kind: Kind, name: string, width: number, height: number): Promise<SourcePicture> {
    const canvas = await tiled(this.#tile, width, height);
    const path = join(this.#folder, name);
    for (const quality of qualities) {
      const file = await (await coded(canvas, kind, { width, height, quality })).toBuffer();
      if (file.length > mostBytes && hasQuality.has(kind)) continue;
      await writeFile(path, file);
      return { path, pixels: width * height, bytes: file.length };
    }
    throw new RangeError('a photo too rich in detail to be tiled');
  }
}

export async function bytesOf({ path }: SourcePicture): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await readFile(path));
}

/** As raw RGB: the photo as often as it fits, reduced where it is larger. */
async function tiled(tile: Buffer, width: number, height: number): Promise<Buffer> {
  const part = await sharp(tile)
    .resize({ width, height, fit: 'outside', withoutEnlargement: true })
    .toBuffer();
  const input = await sharp(part)
    .resize({ width, height, fit: 'cover', withoutEnlargement: true })
    .removeAlpha()
    .png({ compressionLevel: 1 })
    .toBuffer();
  const create = { width, height, channels: 3 as const, background: { r: 0, g: 0, b: 0 } };
  return sharp({ create, limitInputPixels: false })
    .composite([{ input, tile: true }])
    .removeAlpha()
    .raw()
    .toBuffer();
}

async function coded(
  canvas: Buffer,
  kind: Kind,
  { width, height, quality }: { width: number; height: number; quality: number },
): Promise<Sharp> {
  const raw = { width, height, channels: 3 as const };
  const picture = sharp(canvas, { raw, limitInputPixels: false });
  switch (kind) {
    case 'JPEG':
      return picture.jpeg({ quality, chromaSubsampling: '4:2:0' });
    case 'detailed JPEG':
      return picture.jpeg({ quality: 99, chromaSubsampling: '4:4:4' });
    case 'progressive JPEG':
      return picture.jpeg({ quality, chromaSubsampling: '4:2:0', progressive: true });
    case 'PNG':
      return picture.png({ compressionLevel: 4, adaptiveFiltering: true });
    case 'PNG, RGBA':
      return picture
        .joinChannel(await shape(width, height))
        .png({ compressionLevel: 4, adaptiveFiltering: true });
    case 'WebP':
      return picture.webp({ quality: 85, effort: 1 });
    case 'AVIF':
      return picture.avif({ quality: 60, effort: 1 });
  }
}

/** The logo's alpha. */
async function shape(width: number, height: number): Promise<Buffer> {
  return sharp(await sample('logo.png'))
    .resize(width, height, { fit: 'cover' })
    .extractChannel(3)
    .png({ compressionLevel: 1 })
    .toBuffer();
}
