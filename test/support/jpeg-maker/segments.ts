import type { HuffmanTables } from './huffman-tables.ts';
import type { JpegComponent, JpegContent, JpegScan } from './jpeg-content.ts';

/** What JFIF and Adobe say of the components, where they are to. */
export function applicationSegments({ jfif, adobe }: JpegContent): number[][] {
  const parts: number[][] = [];
  if (jfif) parts.push(segment(0xe0, [...ascii('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0]));
  if (adobe !== undefined) {
    parts.push(segment(0xee, [...ascii('Adobe'), 0, 100, 0, 0, 0, 0, adobe]));
  }
  return parts;
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

/** Baseline where it can be, else extended sequential; or progressive. */
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

export function huffmanSegment({ dc, ac }: HuffmanTables): number[] {
  return segment(0xc4, [
    ...[0, ...Array.from(dc.counts), ...Array.from(dc.symbols)],
    ...[0x10, ...Array.from(ac.counts), ...Array.from(ac.symbols)],
  ]);
}

export function scanHeader({ components }: JpegContent, scan: JpegScan): number[] {
  return segment(0xda, [
    scan.components.length,
    ...scan.components.flatMap((c) => [idOf(components[c], c), 0]),
    ...[scan.ss, scan.se, (scan.ah << 4) | scan.al],
  ]);
}

/** As in JFIF, if nothing else is said. */
function idOf(component: JpegComponent | undefined, c: number): number {
  return component?.id ?? c + 1;
}

export function segment(code: number, content: readonly number[]): number[] {
  return [0xff, code, ...twoBytes(content.length + 2), ...content];
}

export function twoBytes(value: number): number[] {
  return [value >> 8, value & 255];
}

function ascii(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}
