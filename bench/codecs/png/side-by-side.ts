import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Raster } from '../../../src/image/pixels/raster.ts';

/** Side of the cropped region in pixels, before and after enlargement. */
const side = 128;
const enlarged = 3 * side;
const gap = 8;

/** A version of a picture: the file, and the pixels that it shows. */
export interface Version {
  readonly file: Uint8Array;
  readonly shown: Raster;
}

export interface Versions {
  readonly original: Version;
  readonly ours: Version | undefined;
  readonly theirs: Version | undefined;
}

/**
 * Writes `original.png`, `ours.png`, `theirs.png` and `crop.png` to a folder. The latter shows the three versions side
 * by side, enlarged, where ours (or else theirs) differs most from the original.
 */
export async function writeSideBySide(folder: string, versions: Versions): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { original, ours, theirs } = versions;
  for (const [name, version] of Object.entries(versions) as [string, Version | undefined][]) {
    if (version) await writeFile(join(folder, `${name}.png`), version.file);
  }
  const region =
    (ours && mostDifferent(original.shown, ours.shown)) ??
    (theirs && mostDifferent(original.shown, theirs.shown));
  if (!region) return;
  const all = [original, ours, theirs];
  const layers = await Promise.all(
    all.map(async (version, i) => {
      if (!version) return [];
      const input = await enlargedPart(version.shown, region);
      return [{ input, left: i * (enlarged + gap), top: 0 }];
    }),
  );
  const canvas = {
    width: all.length * (enlarged + gap) - gap,
    height: enlarged,
    channels: 3 as const,
    background: '#000',
  };
  await sharp({ create: canvas }).composite(layers.flat()).png().toFile(join(folder, 'crop.png'));
}

interface Region {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * The region with the largest sum of squared differences, among regions that overlap by half; undefined if there are no
 * differences.
 */
function mostDifferent(original: Raster, coded: Raster): Region | undefined {
  const { width, height } = original;
  const size = { width: Math.min(side, width), height: Math.min(side, height) };
  let most = 0;
  let found: Region | undefined;
  for (const top of starts(height)) {
    for (const left of starts(width)) {
      const region = { left, top, ...size };
      const sum = difference(original, coded, region);
      if (sum <= most) continue;
      most = sum;
      found = region;
    }
  }
  return found;
}

function starts(length: number): number[] {
  const last = Math.max(0, length - side);
  const count = Math.ceil(last / (side / 2)) + 1;
  return Array.from({ length: count }, (_, i) => Math.min(last, (i * side) / 2));
}

function difference(a: Raster, b: Raster, { left, top, width, height }: Region): number {
  let sum = 0;
  for (let row = top; row < top + height; row += 1) {
    const start = 4 * (row * a.width + left);
    for (let at = start; at < start + 4 * width; at += 1) {
      sum += ((a.data[at] ?? 0) - (b.data[at] ?? 0)) ** 2;
    }
  }
  return sum;
}

function enlargedPart({ width, height, data }: Raster, region: Region): Promise<Buffer> {
  return sharp(data, { raw: { width, height, channels: 4 } })
    .extract(region)
    .resize(3 * region.width, 3 * region.height, { kernel: 'nearest' })
    .png()
    .toBuffer();
}
