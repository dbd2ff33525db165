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

interface ScanComponent {
  /** Index in the frame. */
  readonly index: number;
  /** Tables as defined by the file, see `HuffmanDefinitions`; undefined if the scan uses none. */
  readonly dc: Uint8Array | undefined;
  readonly ac: Uint8Array | undefined;
}

/** A scan and the tables for decoding it (ITU-T T.81 §B.2.3). */
export interface JpegScan {
  readonly components: readonly ScanComponent[];
  /** First and last coefficient, in zigzag order. */
  readonly ss: number;
  readonly se: number;
  /** Lowest bit coded by earlier scans, 0 if there are none (Ah); lowest bit coded by this scan (Al). */
  readonly ah: number;
  readonly al: number;
  /** Restart interval in MCUs of this scan; 0 if there are no restart markers. */
  readonly restartInterval: number;
  /** File offset of its data. */
  readonly start: number;
}

/** The scans of a file, found without decoding them. */
export interface ScanList {
  readonly scans: readonly JpegScan[];
  /**
   * Quantization steps of each component in zigzag order, as defined at its first scan; 1 for a component without scan.
   */
  readonly quantization: readonly Uint16Array[];
}

/**
 * Finds the scans of a file that `inspect` has accepted.
 * @throws CodecError if segments, tables or scan headers are invalid, or scans are missing
 */
export function scansOf(file: Uint8Array, image: JpegInspection): ScanList {
  try {
    const list = listScans(file, image);
    // Without end marker, the scans themselves must be complete.
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
      // Like libjpeg, stop after a sequential scan with all components.
      if (image.process !== 'progressive' && scan.components.length === image.components.length) {
        break;
      }
    }
  }
  const ones = new Uint16Array(64).fill(1);
  return { scans, quantization: quantization.map((table) => table ?? ones) };
}

/** Whether all bits of all coefficients are coded. */
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
    // Spectral selection and successive approximation are ignored in sequential scans, as in decoders.
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

/** Removes tables that the scan does not use or that are invalid. */
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

/** Whether a header is valid in a progressive file (T.81 §G.1.1.1); DC refinement needs no table. */
function isProgressive({ components, ss, se, ah, al }: ScanHeader): boolean {
  const isBand = ss === 0 ? se === 0 : se >= ss && se <= 63 && components.length === 1;
  if (!isBand || al > 13 || (ah > 0 && al !== ah - 1)) return false;
  if (ss > 0) return components.every(({ ac }) => ac);
  return ah > 0 || components.every(({ dc }) => dc);
}

/**
 * Number of low-frequency coefficients that decoders estimate from the DC of neighboring blocks if they are missing:
 * five up to libjpeg-turbo 2.0, nine since then.
 */
const maxGuessed = 9;

/**
 * Whether the scans of a progressive picture lack bits that decoders would estimate, as in a file that was truncated
 * between two scans. After recoding, all bits would be there, and decoders would no longer estimate any. Source:
 * `smoothing_ok` in libjpeg's jdcoefct.c.
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

/** The fields of a scan header that define the coded bits. */
interface CodedBand {
  readonly components: readonly { readonly index: number }[];
  readonly ss: number;
  readonly se: number;
  readonly al: number;
}

/** Marks a coefficient that is not coded at all. */
const notCoded = 255;

/** Number of missing low bits of each coefficient of a component, in zigzag order. */
function missingBits(index: number, scans: readonly CodedBand[]): Uint8Array {
  const missing = new Uint8Array(64).fill(notCoded);
  for (const { components, ss, se, al } of scans) {
    if (components.some((component) => component.index === index)) missing.fill(al, ss, se + 1);
  }
  return missing;
}
