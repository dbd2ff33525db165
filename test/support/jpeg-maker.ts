/**
 * Writes JPEGs out of coefficients, in every way that ITU-T T.81 has for Huffman
 * coding with samples of 8 bits. It knows nothing of src/, so that what is tested
 * with it is not tested with itself.
 */

import { generousTables, type HuffmanTables } from './jpeg-maker/huffman-tables.ts';
import type { JpegContent, JpegScan } from './jpeg-maker/jpeg-content.ts';
import { Picture } from './jpeg-maker/picture.ts';
import { ScanCoder } from './jpeg-maker/scan-coder.ts';
import {
  applicationSegments,
  frameSegment,
  huffmanSegment,
  quantizationSegment,
  scanHeader,
  segment,
  twoBytes,
} from './jpeg-maker/segments.ts';

/** libjpeg's default for three components of which the first is luma. */
export const defaultProgression: readonly JpegScan[] = [
  { components: [0, 1, 2], ss: 0, se: 0, ah: 0, al: 1 },
  { components: [0], ss: 1, se: 5, ah: 0, al: 2 },
  { components: [2], ss: 1, se: 63, ah: 0, al: 1 },
  { components: [1], ss: 1, se: 63, ah: 0, al: 1 },
  { components: [0], ss: 6, se: 63, ah: 0, al: 2 },
  { components: [0], ss: 1, se: 63, ah: 2, al: 1 },
  { components: [0, 1, 2], ss: 0, se: 0, ah: 1, al: 0 },
  { components: [2], ss: 1, se: 63, ah: 1, al: 0 },
  { components: [1], ss: 1, se: 63, ah: 1, al: 0 },
  { components: [0], ss: 1, se: 63, ah: 1, al: 0 },
];

export function makeJpeg(content: JpegContent): Uint8Array<ArrayBuffer> {
  const { components, scans = 'sequential', restartInterval = 0 } = content;
  const picture = new Picture(content);
  const tables = content.huffmanTables ?? generousTables;
  const script = typeof scans === 'string' ? sequentialScans(components.length, scans) : scans;
  const isProgressive = script.some(({ ss, se }) => ss > 0 || se < 63);
  const parts: number[][] = [[0xff, 0xd8], ...applicationSegments(content)];
  parts.push(quantizationSegment(content), frameSegment(content, isProgressive));
  if (!content.withoutHuffmanTables) parts.push(huffmanSegment(tables));
  if (restartInterval > 0) parts.push(segment(0xdd, twoBytes(restartInterval)));
  for (const scan of script) {
    parts.push(scanHeader(content, scan), codedScan(picture, scan, tables, isProgressive));
  }
  parts.push([0xff, 0xd9]);
  return joined(parts);
}

function sequentialScans(count: number, order: 'sequential' | 'separate'): JpegScan[] {
  const all = Array.from({ length: count }, (_, c) => c);
  const groups = order === 'sequential' ? [all] : all.map((c) => [c]);
  return groups.map((group) => ({ components: group, ss: 0, se: 63, ah: 0, al: 0 }));
}

function codedScan(
  picture: Picture,
  scan: JpegScan,
  tables: HuffmanTables,
  isProgressive: boolean,
): number[] {
  const coder = new ScanCoder(scan, tables, isProgressive);
  const { restartInterval } = picture;
  let mcus = 0;
  for (const blocks of picture.mcus(scan)) {
    if (restartInterval > 0 && mcus > 0 && mcus % restartInterval === 0) {
      coder.restart((mcus / restartInterval - 1) & 7);
    }
    for (const block of blocks) coder.code(block);
    mcus += 1;
  }
  return coder.end();
}

function joined(parts: readonly number[][]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
