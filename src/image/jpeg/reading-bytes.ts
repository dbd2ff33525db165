import type { JpegInspection } from '../inspect/inspection.ts';
import { arenaCeiling } from '../memory.ts';
import { type ComponentGeometry, frameGeometry, samplingOf } from './frame-geometry.ts';

/** The kernel's own data, and what aligning each allocation to 16 bytes loses. */
export const ownBytes = 32 * 1024;

/** A window of the file and the tables of a scan that is read beside others. */
const cursorBytes = 65_536 + 32 + 8 * 4608;

/** Bytes of 64 coefficients of 16 bits. */
const blockBytes = 128;

/** Bytes of a block in a plane: DC, 64 low bytes, and a pointer to the high ones. */
const planeBlockBytes = 2 + 64 + 4;

/**
 * Blocks with coefficients beyond one byte have 64 bytes more. Measured on progressive versions of
 * photos of twelve cameras, as they were and at qualities of 90, 95 and 97: up to 19 % of the blocks
 * at the best qualities, hardly any below, and never more than 0.82 times the bytes of the file.
 */
const mostHighBlocks = 0.2;
const highBytesPerFileByte = 1;

/**
 * The arena that reading coefficients takes, in bytes, but for the high bytes of planes. Sequential
 * scans of one component each are read side by side; which there are the header does not tell.
 */
export function coefficientBytes(image: JpegInspection): number {
  const geometry = frameGeometry(image, samplingOf(image));
  const isProgressive = image.process === 'progressive';
  const cursors = isProgressive ? 1 : image.components.length;
  const planes = isProgressive ? planeBlockBytes * blockCount(geometry) : 0;
  return ownBytes + cursors * cursorBytes + rowsBytes(geometry) + planes;
}

/** What the high bytes of planes are expected to take; a picture wilder than photos takes more. */
export function highBytes(image: JpegInspection, fileBytes: number): number {
  if (image.process !== 'progressive') return 0;
  const blocks = blockCount(frameGeometry(image, samplingOf(image)));
  return Math.min(64 * mostHighBlocks * blocks, highBytesPerFileByte * fileBytes);
}

/** One row of MCUs. */
export function rowsBytes(geometry: readonly ComponentGeometry[]): number {
  return sum(geometry, ({ paddedAcross, vertical }) => blockBytes * paddedAcross * vertical);
}

/** Blocks of all components. */
export function blockCount(geometry: readonly ComponentGeometry[]): number {
  return sum(geometry, ({ blocksAcross, blocksDown }) => blocksAcross * blocksDown);
}

/**
 * The arena that reading pixels takes, in bytes, however far they are reduced:
 * beside the coefficients samples of a row of MCUs and of the row above it, and
 * a few rows of pixels.
 */
export function jpegReadingBytes(image: JpegInspection, fileBytes: number): number {
  const geometry = frameGeometry(image, samplingOf(image));
  const samples = sum(
    geometry,
    ({ paddedAcross, vertical }) => (8 * paddedAcross + 64) * (8 * vertical + 1),
  );
  const pixels = (4 + geometry.length) * (image.width + 64);
  const least = coefficientBytes(image) + samples + pixels;
  return withinCeiling(least, least + highBytes(image, fileBytes));
}

/** What is expected as far as the arena can have it, but never less than what is certain. */
export function withinCeiling(least: number, expected: number): number {
  return Math.max(least, Math.min(expected, arenaCeiling));
}

function sum<Item>(items: readonly Item[], bytesOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + bytesOf(item), 0);
}
