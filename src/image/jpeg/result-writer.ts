import {
  type CodedComponent,
  endOfImage,
  frameSegments,
  huffmanSegment,
  scanSegments,
  usesAcTables,
  usesDcTables,
} from './frame-segments.ts';
import { type HuffmanTable, optimalHuffmanTable } from './huffman-table.ts';
import type { JpegKernel } from './kernel.ts';
import { huffmanKind, type Pointer } from './kernel-exports.ts';
import type { Scan } from './scan-script.ts';

/** A picture as it is written. */
export interface ResultFrame {
  readonly width: number;
  readonly height: number;
  readonly components: readonly CodedComponent[];
}

/** Tables of a scan, by slot. */
interface Tables {
  readonly dc: readonly (HuffmanTable | undefined)[];
  readonly ac: readonly (HuffmanTable | undefined)[];
}

/** Counts and writes scans, with Huffman tables made for each of them. */
export class ResultWriter {
  readonly #kernel: JpegKernel;
  readonly #frame: ResultFrame;

  constructor(kernel: JpegKernel, frame: ResultFrame) {
    this.#kernel = kernel;
    this.#frame = frame;
    for (const [c, { dcSlot, acSlot }] of frame.components.entries()) {
      kernel.setTableSlot(c, dcSlot, acSlot);
    }
  }

  /**
   * Bits of a scan's data and of the tables that it takes.
   * @param rowStep above 1: an estimate from every so manieth row
   */
  cost(scan: Scan, rowStep: number): number {
    this.select(scan);
    this.#kernel.countScan(rowStep);
    const tables = this.tablesFor(scan);
    const used = [...tables.dc, ...tables.ac].reduce((bits, table) => bits + (table?.bits ?? 0), 0);
    const segment = huffmanSegment(this.#frame.components, scan, tables);
    return rowStep * (used + this.#kernel.rawBits()) + 8 * segment.length;
  }

  /** Begins the result with what comes before its first scan; false where there is no room. */
  begin(process: 'sequential' | 'progressive', head: Uint8Array, most: number): boolean {
    if (!this.#kernel.beginOutput(most)) return false;
    return this.append(head) && this.append(frameSegments({ ...this.#frame, process }));
  }

  /** Writes a scan of coefficients that have been kept; false where the result gets too long. */
  write(scan: Scan): boolean {
    this.select(scan);
    this.#kernel.countScan(1);
    return this.beginScan(scan) && this.#kernel.writeScan() !== 0;
  }

  /** Chooses what is counted and written next. */
  select({ components, ss, se, ah, al }: Scan): void {
    const [c0 = 0, c1 = 0, c2 = 0, c3 = 0] = components;
    this.#kernel.setScan(components.length, c0, c1, c2, c3, ss, se, ah, al);
  }

  /** Writes the segments of a scan that has been counted, and gives the kernel its codes. */
  beginScan(scan: Scan): boolean {
    const tables = this.tablesFor(scan);
    for (const [slot, table] of tables.dc.entries()) this.#setCodes(huffmanKind.dc, slot, table);
    for (const [slot, table] of tables.ac.entries()) this.#setCodes(huffmanKind.ac, slot, table);
    return this.append(scanSegments(this.#frame.components, scan, tables));
  }

  /** The result where it lies, complete; null where it got too long. */
  end(): Uint8Array<ArrayBuffer> | null {
    if (!this.append(endOfImage)) return null;
    const at = this.#kernel.outputAt();
    return this.#kernel.bytes.subarray(at, at + this.#kernel.outputLength());
  }

  append(bytes: Uint8Array): boolean {
    const at = this.#kernel.reserveOutput(bytes.length);
    if (at === 0) return false;
    this.#kernel.bytes.set(bytes, at);
    return true;
  }

  /** The best tables for what has been counted, in the slots that the scan uses. */
  tablesFor(scan: Scan): Tables {
    const tables: { dc: (HuffmanTable | undefined)[]; ac: (HuffmanTable | undefined)[] } = {
      dc: [],
      ac: [],
    };
    for (const c of scan.components) {
      const { dcSlot = 0, acSlot = 0 } = this.#frame.components[c] ?? {};
      if (usesDcTables(scan)) tables.dc[dcSlot] ??= this.#counted(huffmanKind.dc, dcSlot);
      if (usesAcTables(scan)) tables.ac[acSlot] ??= this.#counted(huffmanKind.ac, acSlot);
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

  /** 256 numbers of the kernel. */
  #words(at: Pointer): Uint32Array {
    return new Uint32Array(this.#kernel.bytes.buffer, at, 256);
  }
}
