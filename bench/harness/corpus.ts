import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { inspect, type SourceImage } from '../../src/image/formats/registry.ts';
import { movingBall } from '../../test/support/animations/moving-ball.ts';
import { sample } from '../../test/support/pictures.ts';
import type { Corpus, CorpusFile } from './section.ts';

interface ClassifiedFile extends Classification {
  readonly file: CorpusFile;
}

/**
 * Loads the pictures of a folder and its subfolders, classified by content; samples stand in for missing classes.
 * Camera photos are ordered from large to small, the others by path.
 */
export async function loadCorpus(folder: string | undefined): Promise<Corpus> {
  if (folder === undefined) return sampleCorpus();
  const all = await filesIn(folder);
  const sorted = await classifiedFiles(all);
  const of = (kind: Kind) => sorted.filter((picture) => picture.kind === kind);
  const found = {
    photos: files(of('photos').sort((a, b) => b.pixels - a.pixels || byName(a, b))),
    exactPhotos: files(of('exactPhotos')),
    graphics: files(of('graphics')),
    translucent: files(of('translucent')),
    animations: files(of('animations')),
    files: all.filter(({ name }) => !isGif(name)),
  };
  const missing = kinds.filter((kind) => found[kind].length === 0);
  if (missing.length === 0) return { name: basename(folder), ...found };
  const samples = await sampleCorpus();
  const standIns = Object.fromEntries(missing.map((kind) => [kind, samples[kind]]));
  const name = `${basename(folder)} (samples stand in for ${missing.join(', ')})`;
  return { name, ...found, ...standIns };
}

const kinds = [
  'photos',
  'exactPhotos',
  'graphics',
  'translucent',
  'animations',
] as const satisfies Kind[];

/** All files with the extension of a picture, in the order of their paths. */
async function filesIn(folder: string): Promise<CorpusFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && /\.(jpe?g|png|webp|avif|gif)$/i.test(entry.name))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();
  return Promise.all(
    paths.map(async (name) => ({
      name,
      bytes: new Uint8Array(await readFile(join(folder, name))),
    })),
  );
}

function isGif(name: string): boolean {
  return /\.gif$/i.test(name);
}

async function classifiedFiles(all: readonly CorpusFile[]): Promise<ClassifiedFile[]> {
  const sorted: ClassifiedFile[] = [];
  for (const file of all) {
    const look = await kindOf(file.bytes);
    if (look) sorted.push({ file, ...look });
  }
  return sorted;
}

function byName(a: ClassifiedFile, b: ClassifiedFile): number {
  return a.file.name < b.file.name ? -1 : 1;
}

function files(sorted: readonly ClassifiedFile[]): CorpusFile[] {
  return sorted.map(({ file }) => file);
}

/** The class of the corpus that a picture belongs to. */
type Kind = Exclude<keyof Corpus, 'name' | 'files'>;

interface Classification {
  readonly kind: Kind;
  readonly pixels: number;
}

const minSide = 64;
const minPhotoPixels = 1e6;
/**
 * Minimum number of colors of a photo. Screenshots with soft shadows have about 6,000; Kodak's photos have at least
 * 13,000.
 */
const minPhotoColors = 8192;

/**
 * Classifies a picture by its content. Returns undefined for one that no coder here is measured with: a tiny still, 16
 * bits, a number of color components other than three, a damaged file, a small JPEG.
 */
async function kindOf(file: Uint8Array): Promise<Classification | undefined> {
  const result = inspect(file);
  if (result.kind !== 'image') return undefined;
  const { type, width, height, frames } = result.image;
  const pixels = width * height;
  const isMoving = frames > 1 && type !== 'avif';
  if (isMoving || type === 'gif') return { kind: 'animations', pixels };
  if (!isMeasurable(result.image)) return undefined;
  if (type === 'jpeg' && pixels < minPhotoPixels) return undefined;
  try {
    if (type !== 'jpeg') return { kind: kindOfPixels(await rgba(file)), pixels };
    // This reads all of the file, but keeps only a reduced picture.
    await sharp(file, { failOn: 'warning' }).resize(minSide).raw().toBuffer();
    return { kind: 'photos', pixels };
  } catch {
    return undefined;
  }
}

function isMeasurable(image: SourceImage): boolean {
  if (image.frames > 1 || Math.min(image.width, image.height) < minSide) return false;
  if (image.type === 'jpeg') return image.colorSpace === 'ycbcr';
  return image.type === 'png' && image.bitDepth <= 8;
}

function rgba(file: Uint8Array): Promise<Buffer> {
  const picture = sharp(file, { failOn: 'warning' }).toColourspace('srgb').ensureAlpha();
  return picture.raw().toBuffer();
}

function kindOfPixels(data: Uint8Array): Kind {
  const isKnown = new Uint8Array(2 ** 24);
  let colors = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] !== 255) return 'translucent';
    const [red = 0, green = 0, blue = 0] = [data[at], data[at + 1], data[at + 2]];
    const color = (red << 16) | (green << 8) | blue;
    if (isKnown[color]) continue;
    isKnown[color] = 1;
    colors += 1;
  }
  return colors >= minPhotoColors ? 'exactPhotos' : 'graphics';
}

/** The sample pictures, and versions of them that PNG can hold. */
async function sampleCorpus(): Promise<Corpus> {
  const [photo, phone, window, logo] = await Promise.all([
    sample('photo.jpg'),
    sample('phone.jpg'),
    sample('interface.png'),
    sample('logo.png'),
  ]);
  // The size of Kodak's photos, so that timings are comparable.
  const size = { width: 768, height: 512 };
  const reduced = sharp(photo).resize(size).png();
  const middle = sharp(photo)
    .extract({ left: 416, top: 278, ...size })
    .png();
  const indexed = sharp(window).png({ palette: true, colors: 16, dither: 0 });
  const interlaced = sharp(logo).png({ progressive: true });
  const sorted = {
    photos: [
      { name: 'phone.jpg', bytes: phone },
      { name: 'photo.jpg', bytes: photo },
    ],
    exactPhotos: [await file('photo, reduced', reduced), await file('photo, its middle', middle)],
    graphics: [
      { name: 'interface.png', bytes: window },
      await file('interface, 16 colours', indexed),
    ],
    translucent: [{ name: 'logo.png', bytes: logo }, await file('logo, interlaced', interlaced)],
  };
  const files = Object.values(sorted).flat();
  return { name: 'the sample pictures', ...sorted, animations: await sampleAnimations(), files };
}

/** One animation per format. */
async function sampleAnimations(): Promise<CorpusFile[]> {
  const made = await Promise.all((['gif', 'png', 'webp'] as const).map((type) => movingBall(type)));
  return made.map(({ type, file: bytes }) => ({ name: `ball.${type}`, bytes }));
}

async function file(name: string, picture: Sharp): Promise<CorpusFile> {
  return { name, bytes: new Uint8Array(await picture.toBuffer()) };
}
