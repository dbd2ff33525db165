/**
 * Writes JPEGs from coefficients, in all variants that ITU-T T.81 has for Huffman coding with 8-bit samples.
 * Independent of src/, so that no code is tested against itself.
 */

import { type JpegComponent, type JpegContent, type JpegScan, Picture } from './content.ts';
import { generousTables, type HuffmanTables, ScanCoder } from './scan-coder.ts';

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
  const segments: number[][] = [[0xff, 0xd8], ...applicationSegments(content)];
  segments.push(quantizationSegment(content), frameSegment(content, isProgressive));
  if (!content.withoutHuffmanTables) segments.push(huffmanSegment(tables));
  if (restartInterval > 0) segments.push(segment(0xdd, twoBytes(restartInterval)));
  for (const scan of script) {
    segments.push(scanHeader(content, scan), codedScan(picture, scan, tables, isProgressive));
  }
  segments.push([0xff, 0xd9]);
  return joined(segments);
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

function joined(segments: readonly number[][]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(segments.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of segments) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The JFIF and Adobe segments, if requested. */
function applicationSegments({ jfif, adobe }: JpegContent): number[][] {
  const segments: number[][] = [];
  if (jfif) segments.push(segment(0xe0, [...ascii('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0]));
  if (adobe !== undefined) {
    segments.push(segment(0xee, [...ascii('Adobe'), 0, 100, 0, 0, 0, 0, adobe]));
  }
  return segments;
}

export function quantizationSegment({ tables, wideTables = false }: JpegContent): number[] {
  const all = tables ?? [new Uint8Array(64).fill(1)];
  return segment(
    0xdb,
    all.flatMap((table, number) => {
      const steps = Array.from(table);
      const isWide = wideTables || steps.some((step) => step > 255);
      return isWide ? [0x10 | number, ...steps.flatMap(twoBytes)] : [number, ...steps];
    }),
  );
}

/** Baseline if possible, otherwise extended sequential; or progressive. */
export function frameSegment(content: JpegContent, isProgressive: boolean): number[] {
  const { width, height, components, tables = [], wideTables = false } = content;
  const isWide = wideTables || tables.some((table) => Array.from(table).some((step) => step > 255));
  return segment(isProgressive ? 0xc2 : isWide ? 0xc1 : 0xc0, [
    ...[8, ...twoBytes(height), ...twoBytes(width), components.length],
    ...components.flatMap((component, c) => {
      const { horizontal = 1, vertical = 1, table = 0 } = component;
      return [idOf(component, c), (horizontal << 4) | vertical, table];
    }),
  ]);
}

function huffmanSegment({ dc, ac }: HuffmanTables): number[] {
  return segment(0xc4, [
    ...[0, ...Array.from(dc.counts), ...Array.from(dc.symbols)],
    ...[0x10, ...Array.from(ac.counts), ...Array.from(ac.symbols)],
  ]);
}

function scanHeader({ components }: JpegContent, scan: JpegScan): number[] {
  return segment(0xda, [
    scan.components.length,
    ...scan.components.flatMap((c) => [idOf(components[c], c), 0]),
    ...[scan.ss, scan.se, (scan.ah << 4) | scan.al],
  ]);
}

/** The component id; as in JFIF by default. */
function idOf(component: JpegComponent | undefined, c: number): number {
  return component?.id ?? c + 1;
}

export function segment(code: number, content: readonly number[]): number[] {
  return [0xff, code, ...twoBytes(content.length + 2), ...content];
}

function twoBytes(value: number): number[] {
  return [value >> 8, value & 255];
}

function ascii(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}
