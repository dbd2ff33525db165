import { joinBytes } from '../containers/byte-strings.ts';
import { marker } from '../inspect/jpeg-markers.ts';
import type { HuffmanDefinition } from './huffman-table.ts';
import type { Scan } from './scan-script.ts';

/** A component as it is written. */
export interface CodedComponent {
  readonly id: number;
  /** Sampling factors, 1 to 4. */
  readonly horizontal: number;
  readonly vertical: number;
  /** Step sizes, 64 in zigzag order. */
  readonly steps: Uint16Array;
  /** Slots of its Huffman tables, 0 to 3. */
  readonly dcSlot: number;
  readonly acSlot: number;
}

export interface CodedFrame {
  readonly process: 'sequential' | 'progressive';
  readonly width: number;
  readonly height: number;
  /** At most four. */
  readonly components: readonly CodedComponent[];
}

/** Huffman tables by slot. */
export interface CodedTables {
  readonly dc: readonly (HuffmanDefinition | undefined)[];
  readonly ac: readonly (HuffmanDefinition | undefined)[];
}

/**
 * What comes before the first scan: quantization tables and the frame header
 * (ITU-T T.81 §B.2.2, §B.2.4.1). Components with the same steps share a table.
 *
 * Limit: steps above 255 take 16 bits, which T.81 has only for samples of 12
 * bits; libjpeg writes and reads them with samples of 8 bits too.
 */
export function frameSegments(frame: CodedFrame): Uint8Array {
  const tables: Uint16Array[] = [];
  const tableNumbers = frame.components.map(({ steps }) => {
    const known = tables.findIndex((table) => table.every((step, k) => step === steps[k]));
    return known >= 0 ? known : tables.push(steps) - 1;
  });
  return joinBytes(
    segment(marker.dqt, tables.flatMap(quantizationTable)),
    frameHeader(frame, tableNumbers),
  );
}

function quantizationTable(steps: Uint16Array, number: number): number[] {
  if (isWide(steps)) {
    return [0x10 | number, ...Array.from(steps).flatMap((step) => [step >> 8, step & 255])];
  }
  return [number, ...steps];
}

function isWide(steps: Uint16Array): boolean {
  return steps.some((step) => step > 255);
}

function frameHeader(frame: CodedFrame, tableNumbers: readonly number[]): Uint8Array {
  const { width, height, components } = frame;
  // of a single component they mean nothing (T.81 §A.2.2), and some decoders pad by them
  const isSingle = components.length === 1;
  return segment(frameCode(frame), [
    ...[8, height >> 8, height & 255, width >> 8, width & 255, components.length],
    ...components.flatMap(({ id, horizontal, vertical }, c) => [
      id,
      isSingle ? 0x11 : (horizontal << 4) | vertical,
      tableNumbers[c] ?? 0,
    ]),
  ]);
}

/** Baseline has steps of 8 bits and two Huffman tables of each kind (T.81 table B.1, §F.1). */
function frameCode({ process, components }: CodedFrame): number {
  if (process === 'progressive') return marker.sof0 + 2;
  const isBaseline = components.every(
    ({ steps, dcSlot, acSlot }) => !isWide(steps) && dcSlot < 2 && acSlot < 2,
  );
  return isBaseline ? marker.sof0 : marker.sof0 + 1;
}

/**
 * What comes before the data of a scan: the Huffman tables that it uses, and its header (T.81 §B.2.3).
 * @param components of the frame
 */
export function scanSegments(
  components: readonly CodedComponent[],
  scan: Scan,
  tables: CodedTables,
): Uint8Array {
  const { ss, se, ah, al } = scan;
  const header = segment(marker.sos, [
    scan.components.length,
    ...scan.components.flatMap((c) => {
      const { id = 0, dcSlot = 0, acSlot = 0 } = components[c] ?? {};
      // 0 stands for a table that is not used
      return [id, ((usesDcTables(scan) ? dcSlot : 0) << 4) | (usesAcTables(scan) ? acSlot : 0)];
    }),
    ...[ss, se, (ah << 4) | al],
  ]);
  return joinBytes(huffmanSegment(components, scan, tables), header);
}

/** Whether a scan takes DC tables: refinements of DC are plain bits (T.81 §G.1.2.1). */
export function usesDcTables({ ss, ah }: Scan): boolean {
  return ss === 0 && ah === 0;
}

/** Whether a scan takes AC tables. */
export function usesAcTables({ se }: Scan): boolean {
  return se > 0;
}

/**
 * DHT with the tables that a scan uses (T.81 §B.2.4.2); no bytes where it uses none.
 * @throws RangeError when a table is not there
 */
export function huffmanSegment(
  components: readonly CodedComponent[],
  scan: Scan,
  { dc, ac }: CodedTables,
): Uint8Array {
  const used = components.filter((_, c) => scan.components.includes(c));
  const dcSlots = new Set(usesDcTables(scan) ? used.map(({ dcSlot }) => dcSlot) : []);
  const acSlots = new Set(usesAcTables(scan) ? used.map(({ acSlot }) => acSlot) : []);
  const content = [
    ...[...dcSlots].flatMap((slot) => huffmanTable(slot, dc[slot])),
    ...[...acSlots].flatMap((slot) => huffmanTable(0x10 | slot, ac[slot])),
  ];
  return content.length > 0 ? segment(marker.dht, content) : new Uint8Array();
}

function huffmanTable(head: number, table: HuffmanDefinition | undefined): number[] {
  if (!table) throw new RangeError('A scan uses a Huffman table that is not there.');
  return [head, ...table.counts, ...table.symbols];
}

/** The marker that ends a file. */
export const endOfImage = Uint8Array.of(0xff, marker.eoi);

function segment(code: number, content: readonly number[]): Uint8Array {
  const length = content.length + 2;
  return Uint8Array.of(0xff, code, length >> 8, length & 255, ...content);
}
