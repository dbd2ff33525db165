import { ContainerError } from '../../container/assemble.ts';
import { ByteCursor } from '../../container/byte-cursor.ts';
import {
  type HuffmanDefinitions,
  isValidHuffmanTable,
  readHuffmanTables,
  typicalDefinitions,
} from './huffman-tables.ts';
import type { JpegInspection } from './inspect.ts';
import { damagedJpeg } from './kernel.ts';
import { readQuantizationTables, toZigzag } from './quantization-tables.ts';
import { imageParts, marker } from './segments.ts';

export interface ScanComponent {
  /** Its place in the frame. */
  readonly index: number;
  /** Tables as the file defines them: see `HuffmanDefinitions`. Undefined if the scan takes none. */
  readonly dc: Uint8Array | undefined;
  readonly ac: Uint8Array | undefined;
}

/** A scan and all that decoding it takes (ITU-T T.81 §B.2.3). */
export interface JpegScan {
  readonly components: readonly ScanComponent[];
  /** First and last coefficient, in zigzag order. */
  readonly ss: number;
  readonly se: number;
  /** The lowest bit that was coded before, 0: none was; and the lowest that is coded now. */
  readonly ah: number;
  readonly al: number;
  /** In MCUs of this scan; 0: no restart markers. */
  readonly restartInterval: number;
  /** File position of its data. */
  readonly start: number;
}

/** The coded picture in a file, found without decoding it. */
export interface ScanList {
  readonly scans: readonly JpegScan[];
  /**
   * Step sizes of each component, in zigzag order, as they stood at its first scan;
   * 1 for a component without a scan, which has nothing that they could be for.
   */
  readonly quantization: readonly Uint16Array[];
}

/**
 * Finds the scans of a file that `inspect` has let through.
 * @throws CodecError if segments, tables or the header of a scan make no sense, or scans are missing
 */
export function scansOf(file: Uint8Array, image: JpegInspection): ScanList {
  try {
    const list = listScans(file, image);
    // without an end marker only the scans themselves can say that none is missing
    if (list && (image.hasEndMarker || areComplete(image, list.scans))) return list;
  } catch (error) {
    if (!(error instanceof ContainerError)) throw error;
  }
  throw damagedJpeg('its headers make no sense');
}

function listScans(file: Uint8Array, image: JpegInspection): ScanList | null {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const steps: (Uint16Array | undefined)[] = [];
  const quantization: (Uint16Array | undefined)[] = image.components.map(() => undefined);
  const tables = image.process === 'progressive' ? { dc: [], ac: [] } : typicalDefinitions();
  const scans: JpegScan[] = [];
  let restartInterval = 0;
  for (const { kind, code, start, end } of imageParts(file)) {
    if (kind !== 'coding') continue;
    const segment = new ByteCursor(view, start + 4, end);
    if (code === marker.dqt) {
      if (readQuantizationTables(segment, steps)) return null;
    } else if (code === marker.dht) {
      if (!readHuffmanTables(file.subarray(start + 4, end), tables)) return null;
    } else if (code === marker.dri) {
      if (segment.remaining !== 2) return null;
      restartInterval = segment.uint16();
    } else if (code === marker.sos) {
      const scan = readScan(segment, image, tables);
      if (!scan) return null;
      for (const { index } of scan.components) {
        const table = steps[image.components[index]?.quantizationTable ?? 0];
        if (!table) return null;
        quantization[index] ??= toZigzag(table);
      }
      scans.push({ ...scan, restartInterval, start: end });
      // as libjpeg, which stops where a sequential scan has shown everything
      if (image.process !== 'progressive' && scan.components.length === image.components.length) {
        break;
      }
    }
  }
  const ones = new Uint16Array(64).fill(1);
  return { scans, quantization: quantization.map((table) => table ?? ones) };
}

/** Whether every coefficient of every component has been coded to its last bit. */
function areComplete({ components }: JpegInspection, scans: readonly JpegScan[]): boolean {
  return components.every((_, index) => missingBits(index, scans).every((bits) => bits === 0));
}

type ScanHeader = Omit<JpegScan, 'start' | 'restartInterval'>;

function readScan(
  segment: ByteCursor,
  { components, process }: JpegInspection,
  tables: HuffmanDefinitions,
): ScanHeader | null {
  const count = segment.uint8();
  if (count < 1 || count > components.length || segment.remaining !== 2 * count + 3) return null;
  const named: ScanComponent[] = [];
  let blocks = 0;
  for (let i = 0; i < count; i += 1) {
    const id = segment.uint8();
    const slots = segment.uint8();
    const taken = named.map(({ index }) => index);
    const index = components.findIndex((known, at) => known.id === id && !taken.includes(at));
    const component = components[index];
    if (!component) return null;
    blocks += component.horizontal * component.vertical;
    named.push({ index, dc: tables.dc[slots >> 4], ac: tables.ac[slots & 15] });
  }
  // T.81 §B.2.3
  if (count > 1 && blocks > 10) return null;
  const ss = segment.uint8();
  const se = segment.uint8();
  const approximation = segment.uint8();
  if (process !== 'progressive') {
    // bands and bits mean nothing in sequential scans, and decoders ignore them
    const used = named.map((component) => withUsable(component, { dc: true, ac: true }));
    if (used.some(({ dc, ac }) => !dc || !ac)) return null;
    return { components: used, ss: 0, se: 63, ah: 0, al: 0 };
  }
  const [ah, al] = [approximation >> 4, approximation & 15];
  const uses = { dc: ss === 0 && ah === 0, ac: ss > 0 };
  const used = named.map((component) => withUsable(component, uses));
  const scan = { components: used, ss, se, ah, al };
  return isProgressive(scan) ? scan : null;
}

/** Leaves out tables that the scan does not use, and those whose codes are not valid. */
function withUsable(
  { index, dc, ac }: ScanComponent,
  uses: { readonly dc: boolean; readonly ac: boolean },
): ScanComponent {
  return {
    index,
    dc: uses.dc && dc && isUsable(dc, 'dc') ? dc : undefined,
    ac: uses.ac && ac && isUsable(ac, 'ac') ? ac : undefined,
  };
}

function isUsable(definition: Uint8Array, kind: 'dc' | 'ac'): boolean {
  return isValidHuffmanTable(definition.subarray(0, 16), definition.subarray(16), kind);
}

/** T.81 §G.1.1.1. Refining DC takes no table. */
function isProgressive({ components, ss, se, ah, al }: ScanHeader): boolean {
  const isBand = ss === 0 ? se === 0 : se >= ss && se <= 63 && components.length === 1;
  if (!isBand || al > 13 || (ah > 0 && al !== ah - 1)) return false;
  if (ss > 0) return components.every(({ ac }) => ac);
  return ah > 0 || components.every(({ dc }) => dc);
}

/**
 * The lowest frequencies, which decoders guess from the DC of the blocks around: up to libjpeg-turbo 2.0 five, since
 * then nine.
 */
const maxGuessed = 9;

/**
 * Whether the scans of a progressive picture leave out bits that decoders guess, as in a file that
 * has been cut off between two scans. Once recoded, every coefficient has all of its bits, and decoders
 * would guess no more. Source: `smoothing_ok` in libjpeg's jdcoefct.c.
 */
export function leavesToGuess(
  { components, process }: JpegInspection,
  { scans }: ScanList,
): boolean {
  if (process !== 'progressive') return false;
  return components.some((_, index) => {
    const missing = missingBits(index, scans);
    return (
      missing[0] !== notCoded && missing.subarray(1, maxGuessed + 1).some((bits) => bits !== 0)
    );
  });
}

/** The part of a scan header that says which bits are coded. */
interface CodedBand {
  readonly components: readonly { readonly index: number }[];
  readonly ss: number;
  readonly se: number;
  readonly al: number;
}

/** Stands for all bits of a coefficient that no scan has coded. */
const notCoded = 255;

/** How many low bits scans leave out of each coefficient of a component, in zigzag order. */
function missingBits(index: number, scans: readonly CodedBand[]): Uint8Array {
  const missing = new Uint8Array(64).fill(notCoded);
  for (const { components, ss, se, al } of scans) {
    if (components.some((component) => component.index === index)) missing.fill(al, ss, se + 1);
  }
  return missing;
}
