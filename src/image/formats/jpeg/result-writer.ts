import { joinBytes } from '../../container/assemble.ts';
import { Pace, type Slices } from '../../slices.ts';
import { blockMs } from './cpu.ts';
import {
  type HuffmanDefinition,
  type HuffmanTable,
  optimalHuffmanTable,
} from './huffman-tables.ts';
import { acKind, dcKind, type JpegKernel } from './kernel.ts';
import type { Scan } from './scan-script.ts';
import { marker } from './segments.ts';

/** The frame of the written picture. */
type ResultFrame = Omit<CodedFrame, 'process'>;

/** Huffman tables of a scan, by slot. */
interface Tables {
  readonly dc: readonly (HuffmanTable | undefined)[];
  readonly ac: readonly (HuffmanTable | undefined)[];
}

/** Minimum length in bytes of the pieces in which a result is drained. */
export const drainedBytes = 2 ** 16;

/** Counts and writes scans with optimized Huffman tables. */
export class ResultWriter {
  readonly #kernel: JpegKernel;
  readonly #frame: ResultFrame;
  readonly #pace = new Pace(blockMs.coded);

  constructor(kernel: JpegKernel, frame: ResultFrame) {
    this.#kernel = kernel;
    this.#frame = frame;
    for (const [c, { dcSlot, acSlot }] of frame.components.entries()) {
      kernel.setTableSlot(c, dcSlot, acSlot);
    }
  }

  /**
   * Returns the bits of a scan's data and tables.
   * @param rowStep if above 1, the result is an estimate from every `rowStep`-th row
   */
  *cost(scan: Scan, rowStep: number): Slices<number> {
    yield* this.#codeScan(scan, 0, rowStep);
    const tables = this.tablesFor(scan);
    const used = [...tables.dc, ...tables.ac].reduce((bits, table) => bits + (table?.bits ?? 0), 0);
    const segment = huffmanSegment(this.#frame.components, scan, tables);
    return rowStep * (used + this.#kernel.rawBits()) + 8 * segment.length;
  }

  /** Begins the result with everything before its first scan; returns false if there is no memory. */
  begin(process: 'sequential' | 'progressive', head: Uint8Array, maxBytes: number): boolean {
    if (!this.#kernel.beginOutput(maxBytes)) return false;
    return this.append(head) && this.append(frameSegments({ ...this.#frame, process }));
  }

  /** Writes a scan of kept coefficients; returns false if the result gets too long. */
  *write(scan: Scan): Slices<boolean> {
    yield* this.#codeScan(scan, 0);
    return this.beginScan(scan) && (yield* this.#codeScan(scan, 1));
  }

  /** Counts or writes a scan of kept coefficients; returns false if the result gets too long or would be invalid. */
  *#codeScan(scan: Scan, writes: 0 | 1, rowStep = 1): Slices<boolean> {
    const kernel = this.#kernel;
    this.select(scan);
    kernel.beginScan(writes);
    const blocks = kernel.scanMcusAcross() * blocksInMcu(this.#frame.components, scan);
    for (let y = 0; y < kernel.scanMcusDown(); y += rowStep) {
      if (!kernel.codeScanRow(y, rowStep > 1)) return false;
      yield* this.#pace.after(blocks);
    }
    return kernel.endScan() !== 0;
  }

  /** Selects the scan to count or write next. */
  select({ components, ss, se, ah, al }: Scan): void {
    const [c0 = 0, c1 = 0, c2 = 0, c3 = 0] = components;
    this.#kernel.setScan(components.length, c0, c1, c2, c3, ss, se, ah, al);
  }

  /** Writes the segments of a counted scan, and passes its codes to the kernel. */
  beginScan(scan: Scan): boolean {
    const tables = this.tablesFor(scan);
    for (const [slot, table] of tables.dc.entries()) this.#setCodes(dcKind, slot, table);
    for (const [slot, table] of tables.ac.entries()) this.#setCodes(acKind, slot, table);
    return this.append(scanSegments(this.#frame.components, scan, tables));
  }

  /** Ends the result, and returns it as a view of the arena; null if it got too long. */
  end(): Uint8Array<ArrayBuffer> | null {
    if (!this.append(endOfImage)) return null;
    const at = this.#kernel.outputAt();
    return this.#kernel.bytes.subarray(at, at + this.#kernel.outputLength());
  }

  /** Passes written bytes on if there are enough; returns false if the result gets too long. */
  drain(take: ((bytes: Uint8Array) => boolean) | undefined): boolean {
    const length = this.#kernel.outputLength();
    if (!take || length < drainedBytes) return true;
    const at = this.#kernel.outputAt();
    const isTaken = take(this.#kernel.bytes.subarray(at, at + length));
    this.#kernel.restartOutput();
    return isTaken;
  }

  append(bytes: Uint8Array): boolean {
    const at = this.#kernel.reserveOutput(bytes.length);
    if (at === 0) return false;
    this.#kernel.bytes.set(bytes, at);
    return true;
  }

  /** The optimal tables for the counted symbols, in the slots that the scan uses. */
  tablesFor(scan: Scan): Tables {
    const tables: { dc: (HuffmanTable | undefined)[]; ac: (HuffmanTable | undefined)[] } = {
      dc: [],
      ac: [],
    };
    for (const c of scan.components) {
      const { dcSlot = 0, acSlot = 0 } = this.#frame.components[c] ?? {};
      if (usesDcTables(scan)) tables.dc[dcSlot] ??= this.#counted(dcKind, dcSlot);
      if (usesAcTables(scan)) tables.ac[acSlot] ??= this.#counted(acKind, acSlot);
    }
    return tables;
  }

  #counted(kind: number, slot: number): HuffmanTable {
    return optimalHuffmanTable(this.#words(this.#kernel.histogram(kind, slot)));
  }

  #setCodes(kind: number, slot: number, table: HuffmanTable | undefined): void {
    if (!table) return;
    const { codes, lengths } = table;
    this.#words(this.#kernel.codes(kind, slot)).set(
      Uint32Array.from(codes, (code, symbol) => code | ((lengths[symbol] ?? 0) << 16)),
    );
  }

  /** A view of 256 numbers in the kernel's memory. */
  #words(at: number): Uint32Array {
    return new Uint32Array(this.#kernel.bytes.buffer, at, 256);
  }
}

/** A component of the written picture. */
export interface CodedComponent {
  readonly id: number;
  /** Sampling factors, 1 to 4. */
  readonly horizontal: number;
  readonly vertical: number;
  /** Quantization steps, 64 in zigzag order. */
  readonly steps: Uint16Array;
  /** Slots of its Huffman tables, 0 to 3. */
  readonly dcSlot: number;
  readonly acSlot: number;
}

export interface CodedFrame {
  readonly process: 'sequential' | 'progressive';
  readonly width: number;
  readonly height: number;
  /** At most four components. */
  readonly components: readonly CodedComponent[];
}

/** Huffman tables by slot. */
interface CodedTables {
  readonly dc: readonly (HuffmanDefinition | undefined)[];
  readonly ac: readonly (HuffmanDefinition | undefined)[];
}

/**
 * Writes the segments before the first scan: quantization tables and the frame header (ITU-T T.81 §B.2.2, §B.2.4.1).
 * Components with equal steps share a table.
 *
 * Limit: steps above 255 take 16 bits, which T.81 allows only for 12-bit samples; libjpeg writes and reads them with
 * 8-bit samples, too.
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
  // Sampling factors of a single component mean nothing (T.81 §A.2.2), but some decoders pad by them.
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

/** The SOF code; baseline requires 8-bit steps and at most two Huffman tables of each kind (T.81 table B.1, §F.1). */
function frameCode({ process, components }: CodedFrame): number {
  if (process === 'progressive') return marker.sof0 + 2;
  const isBaseline = components.every(
    ({ steps, dcSlot, acSlot }) => !isWide(steps) && dcSlot < 2 && acSlot < 2,
  );
  return isBaseline ? marker.sof0 : marker.sof0 + 1;
}

/**
 * Writes the segments before the data of a scan: its Huffman tables and its header (T.81 §B.2.3).
 * @param components the components of the frame
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
      // 0 for unused tables.
      return [id, ((usesDcTables(scan) ? dcSlot : 0) << 4) | (usesAcTables(scan) ? acSlot : 0)];
    }),
    ...[ss, se, (ah << 4) | al],
  ]);
  return joinBytes(huffmanSegment(components, scan, tables), header);
}

/** Number of blocks in an MCU of a scan (T.81 §A.2). */
function blocksInMcu(all: readonly CodedComponent[], { components }: Scan): number {
  if (components.length === 1) return 1;
  const blocks = components.map((c) => (all[c]?.horizontal ?? 1) * (all[c]?.vertical ?? 1));
  return blocks.reduce((sum, number) => sum + number);
}

/** Whether a scan uses DC tables; refinement scans of DC do not (T.81 §G.1.2.1). */
function usesDcTables({ ss, ah }: Scan): boolean {
  return ss === 0 && ah === 0;
}

/** Whether a scan uses AC tables. */
function usesAcTables({ se }: Scan): boolean {
  return se > 0;
}

/**
 * Writes DHT with the tables that a scan uses (T.81 §B.2.4.2); no bytes if it uses none.
 * @throws RangeError if a table is missing
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
