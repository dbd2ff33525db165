import { expect } from 'vitest';
import type { JpegScan } from '../../../../../support/jpeg-maker/content.ts';
import {
  frameSegment,
  quantizationSegment,
  segment,
} from '../../../../../support/jpeg-maker/jpeg-maker.ts';
import { atOnce, type CodingKernel, select } from './coding-stage.ts';
import { contentOf, type Picture } from './made-pictures.ts';
import { giveCodes, type ScanTable } from './scan-codes.ts';

/** The data of a scan as the kernel writes it, with its tables and the bits that were to be expected. */
export function writtenScan(kernel: CodingKernel, scan: JpegScan, code = atOnce) {
  select(kernel, scan);
  code(kernel, false);
  const { tables, bits } = giveCodes(kernel);
  expect(kernel.beginOutput(8_000_000)).toBe(1);
  expect(code(kernel, true)).toBe(true);
  expect(kernel.codingFailure()).toBe(0);
  const data = new Uint8Array(kernel.memory.buffer, kernel.outputAt(), kernel.outputLength());
  return { data: data.slice(), tables, bits };
}

/** A file of the scans as the kernel writes them. */
export function writtenJpeg(
  picture: Picture,
  scans: readonly JpegScan[],
  kernel: CodingKernel,
  code = atOnce,
): Buffer {
  const parts = scans.flatMap((scan) => {
    const { data, tables } = writtenScan(kernel, scan, code);
    return [scanHead(scan, tables), data];
  });
  return Buffer.concat([pictureHead(picture, scans), ...parts, endOfImage]);
}

export const endOfImage = Buffer.of(0xff, 0xd9);

/** All that comes before the first scan. */
export function pictureHead(picture: Picture, scans: readonly JpegScan[]): Buffer {
  const content = contentOf(picture);
  const isProgressive = scans.some(({ se }) => se < 63);
  return Buffer.from([
    ...[0xff, 0xd8],
    ...quantizationSegment(content),
    ...frameSegment(content, isProgressive),
  ]);
}

/** Tables and header of a scan. */
export function scanHead(
  { components, ss, se, ah, al }: JpegScan,
  tables: readonly ScanTable[],
): Buffer {
  const definitions = tables.flatMap(({ kind, slot, counts, symbols }) =>
    segment(0xc4, [(kind << 4) | slot, ...Array.from(counts), ...Array.from(symbols)]),
  );
  const slots = components.flatMap((c) => [c + 1, Math.min(c, 1) * 0x11]);
  const header = segment(0xda, [components.length, ...slots, ss, se, (ah << 4) | al]);
  return Buffer.from([...definitions, ...header]);
}
