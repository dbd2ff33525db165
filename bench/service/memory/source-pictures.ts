import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { ImageError, plan, type Work } from '../../../src/image/engine.ts';
import { type InputType, outputTypes } from '../../../src/image/formats/facts.ts';
import type { SourceImage } from '../../../src/image/formats/registry.ts';
import { readOptions } from '../../../src/routes/optimize/options.ts';
import { avif, jpeg, largestPicture, png, webp } from '../../../test/support/inspections.ts';
import { sample } from '../../../test/support/pictures.ts';
import type { Configuration, Kind, Query } from './configurations.ts';

/** The maximum body size of the service, in bytes. */
const maxResultBytes = 32 * 1024 * 1024;

/** Candidate qualities; the best one whose file is small enough is used. */
const qualities = [92, 85, 80, 75, 65, 50, 35, 20];

/** Kinds that are coded at a lower quality if they get too large. */
const hasQuality: ReadonlySet<Kind> = new Set([
  'JPEG',
  'progressive JPEG',
  'turned JPEG',
  'lossless WebP',
]);

const typeOf: Readonly<Record<Kind, InputType>> = {
  JPEG: 'jpeg',
  'detailed JPEG': 'jpeg',
  'progressive JPEG': 'jpeg',
  'turned JPEG': 'jpeg',
  PNG: 'png',
  'PNG, RGBA': 'png',
  WebP: 'webp',
  'lossless WebP': 'webp',
  AVIF: 'avif',
};

/** A file on disk, with its size. */
interface SourcePicture {
  readonly path: string;
  readonly pixels: number;
  readonly bytes: number;
}

/** 4:3 pictures of every size and kind, tiled from one photo; each is made only once. */
export class SourcePictures {
  readonly #folder: string;
  readonly #tile: Buffer;
  readonly #made = new Map<string, Promise<SourcePicture>>();

  private constructor(folder: string, tile: Buffer) {
    this.#folder = folder;
    this.#tile = tile;
  }

  static async of(photo: Uint8Array): Promise<SourcePictures> {
    // Upright, and without a color profile.
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
      if (file.length > maxResultBytes && hasQuality.has(kind)) continue;
      await writeFile(path, file);
      return { path, pixels: width * height, bytes: file.length };
    }
    throw new RangeError('a photo too rich in detail to be tiled');
  }
}

export async function bytesOf({ path }: SourcePicture): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await readFile(path));
}

/** Raw RGB pixels: the photo repeated to fill the canvas, or reduced if it is larger. */
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
    case 'turned JPEG':
      return picture.jpeg({ quality, chromaSubsampling: '4:2:0' }).withMetadata({ orientation: 6 });
    case 'PNG':
      return picture.png({ compressionLevel: 4, adaptiveFiltering: true });
    case 'PNG, RGBA':
      return picture
        .joinChannel(await shape(width, height))
        .png({ compressionLevel: 4, adaptiveFiltering: true });
    case 'WebP':
      return picture.webp({ quality: 85, effort: 1 });
    case 'lossless WebP':
      // Coded as lossless; the quality only determines how samples are rounded before.
      return picture.webp({ nearLossless: true, quality, effort: 1 });
    case 'AVIF':
      return picture.avif({ quality: 60, effort: 1 });
  }
}

/** The logo's alpha channel. */
async function shape(width: number, height: number): Promise<Buffer> {
  return sharp(await sample('logo.png'))
    .resize(width, height, { fit: 'cover' })
    .extractChannel(3)
    .png({ compressionLevel: 1 })
    .toBuffer();
}

type Size = { width: number; height: number };

const shapes: Readonly<Record<Kind, (size: Size) => SourceImage>> = {
  JPEG: jpeg,
  'detailed JPEG': jpeg,
  'progressive JPEG': (size) => jpeg({ ...size, process: 'progressive' }),
  'turned JPEG': (size) => jpeg({ ...size, orientation: 6 }),
  PNG: png,
  'PNG, RGBA': (size) => png({ ...size, colorType: 6, hasAlpha: true }),
  WebP: webp,
  'lossless WebP': (size) => webp({ ...size, compression: 'lossless' }),
  AVIF: avif,
};

/** Sizes large enough to estimate the bytes per pixel of larger ones: JPEGs get so large that the photo is repeated. */
const typicalPixels = { jpeg: 12e6, png: 2e6, webp: 2e6, avif: 2e6, gif: 2e6 } as const;

/** Sizes are rounded down to steps of 5%, so that pictures can be reused. */
const step = 1.05;

/**
 * A picture as large as the planner accepts, within 5%. The planner is asked again about the actual file, because files
 * differ.
 */
export async function largestFor(
  { kind, query }: Configuration,
  pictures: SourcePictures,
): Promise<SourcePicture> {
  const typical = await pictures.make(kind, typicalPixels[typeOf[kind]]);
  const options = optionsOf(query);
  const format = outputTypes.find((type) => type === options.format) ?? typeOf[kind];
  const density = typical.bytes / typical.pixels;
  const most = largestPicture(shapes[kind], format, options, density);
  for (let steps = Math.floor(Math.log(most) / Math.log(step)); steps > 0; steps -= 1) {
    const picture = await pictures.make(kind, step ** steps);
    if (workOn(await bytesOf(picture), query)) return picture;
  }
  throw new Error(`nothing is taken of ${kind}`);
}

/** The work on a picture as the service plans it; null if it refuses it. */
export function workOn(file: Uint8Array<ArrayBuffer>, query: Query): Work | null {
  try {
    return plan(file, optionsOf(query));
  } catch (error) {
    if (error instanceof ImageError) return null;
    throw error;
  }
}

/** Parses options as the service does. */
function optionsOf(query: Query) {
  return readOptions(Object.entries(query), undefined);
}
