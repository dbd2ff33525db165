import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { sampleFiles } from '../../test/support/pictures.ts';
import { evenly, megapixels } from '../measures/figures.ts';
import { inParallel } from './in-parallel.ts';

/** A JPEG to work on. */
export interface Photo {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly megapixels: number;
}

/** Megapixels: what is called 12 has up to 12.5; what has less than a quarter is rather an icon. */
const [least, most] = [0.25, 12.5];

/** Longer sides of reduced photos, in pixels, in the order in which they are made. */
const reducedSides = [2400, 1200, 1800, 900, 3000, 600];
/** The JPEG quality of reduced photos: about what editors write. */
const reducedQuality = 92;

/**
 * Puts JPEGs of up to 12 megapixels into a folder: those of another folder, evenly chosen, or the sample photos. If
 * there are too few, they are joined by reduced versions. Rotated photos and those with a color profile are only used
 * for these: what becomes of rotation and profile is up to each script, and pixels that differ for that cannot be
 * scored.
 */
export async function preparePhotos(
  from: string | undefined,
  to: string,
  count: number,
): Promise<Photo[]> {
  const paths = from === undefined ? sampleFiles.filter(isJpeg) : await jpegsIn(from);
  const sources = (await inParallel(paths, 1, sourceOf)).filter((source) => source !== null);
  const originals = evenly(sources.filter(isUsedAsItIs), count);
  const reductions = reducedSides.flatMap((side) =>
    sources.filter(({ longSide }) => longSide > side).map(({ path }) => ({ path, side })),
  );
  const files = [
    ...originals.map(
      ({ path }) =>
        () =>
          readFile(path),
    ),
    ...reductions.map((reduction) => () => reduced(reduction)),
  ];
  return inParallel([...files.slice(0, count).entries()], 1, async ([at, make]) => {
    const name = `${String(at + 1).padStart(3, '0')}.jpg`;
    const [path, file] = [join(to, name), await make()];
    await writeFile(path, file);
    const size = await sharp(file).metadata();
    return { name, path, bytes: file.length, megapixels: megapixels(size) };
  });
}

async function jpegsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names
    .filter(isJpeg)
    .sort()
    .map((name) => join(folder, name));
}

function isJpeg(name: string): boolean {
  return /\.jpe?g$/i.test(name);
}

interface Source {
  readonly path: string;
  readonly longSide: number;
  readonly megapixels: number;
  readonly isPlain: boolean;
}

/** Null for what is not a color photo, or is damaged. */
async function sourceOf(path: string): Promise<Source | null> {
  try {
    const { width, height, space, orientation = 1, hasProfile } = await sharp(path).metadata();
    if (space !== 'srgb') return null;
    const longSide = Math.max(width, height);
    const isPlain = orientation === 1 && !hasProfile;
    return { path, longSide, megapixels: megapixels({ width, height }), isPlain };
  } catch {
    return null;
  }
}

function isUsedAsItIs({ megapixels: size, isPlain }: Source): boolean {
  return isPlain && size >= least && size <= most;
}

function reduced({ path, side }: { path: string; side: number }): Promise<Buffer> {
  return sharp(path)
    .autoOrient()
    .resize(side, side, { fit: 'inside' })
    .jpeg({ quality: reducedQuality })
    .toBuffer();
}
