import { ByteCursor, type ByteRange } from '../../container/byte-cursor.ts';
import { exifOrientation, type Orientation } from '../../metadata/exif-block.ts';
import { broken, isUnreadable, type Unreadable, unsupportedFeature } from '../../refusal.ts';
import type { GainMap, Inspection, InspectionResult } from '../inspection.ts';
import { readQuantizationTables } from './quantization-tables.ts';
import { isFrameHeader, MarkerWalker, marker } from './segments.ts';

interface JpegComponent {
  readonly id: number;
  /** Sampling factors, 1 to 4. */
  readonly horizontal: number;
  readonly vertical: number;
  /** Id of the quantization table, 0 to 3. */
  readonly quantizationTable: number;
}

type JpegColorSpace = 'grey' | 'ycbcr' | 'rgb' | 'cmyk' | 'ycck';

export interface JpegInspection extends Inspection {
  readonly type: 'jpeg';
  readonly process: 'baseline' | 'extended' | 'progressive';
  readonly components: readonly JpegComponent[];
  readonly colorSpace: JpegColorSpace;
  /** Whether samples of inks grow as inks become less, as in all files with Adobe's segment. Default: false. */
  readonly areInksInverted?: boolean;
  /**
   * Quantization tables by id, 64 steps each in row-major (not zigzag) order, as defined before the first scan. Steps
   * of 0, which T.81 forbids, are accepted.
   */
  readonly quantizationTables: readonly (Uint16Array | undefined)[];
  /** Restart interval in MCUs at the first scan; 0 if there are no restart markers. */
  readonly restartInterval: number;
  readonly hasEndMarker: boolean;
  /** Number of scans. */
  readonly scans?: number;
  readonly gainMap?: JpegGainMap | 'bound';
}

/** A gain map in a JPEG, which is a JPEG itself. */
export interface JpegGainMap extends GainMap {
  readonly image: JpegInspection;
}

const truncated = 'The JPEG ends inside its headers.';

/** Maximum number of segments, and CPU time of each in milliseconds, however short it is. */
const maxSegments = 10_000;
const segmentMs = 0.002;
const tooManySegments = broken('The JPEG has more segments than any encoder writes.');

/**
 * Reads the segments up to the first scan (ITU-T T.81 annex B), refuses markers that no decoder accepts, and counts
 * scans.
 */
export function inspectJpeg(view: DataView): InspectionResult<JpegInspection> {
  const walker = new MarkerWalker(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  const headers = emptyJpegHeaders();
  for (let segments = 1; walker.next(); segments += 1) {
    if (segments === maxSegments) return tooManySegments;
    const { code } = walker;
    if (code === marker.soi) {
      return broken('The JPEG has a second start marker inside its headers.');
    }
    if (code === marker.eoi) return broken('The JPEG ends before its first scan.');
    if (walker.fault === 'truncated') return broken(truncated);
    if (walker.fault) return broken('A JPEG segment has an impossible length.');
    if (code === marker.sos) {
      const scans = countScans(walker, segments);
      if (scans.segments === maxSegments) return tooManySegments;
      return areWithinLimits(scans.count, blocksOf(headers.frame))
        ? summarize(headers, scans)
        : broken('The JPEG has more scans than any encoder writes.');
    }
    const segment = new ByteCursor(view, walker.contentStart, walker.end);
    const refusal = readJpegSegment(view, code, segment, headers);
    if (refusal) return refusal;
  }
  return broken(truncated);
}

/** Number of blocks in all components, as if none were subsampled. */
function blocksOf(frame: JpegFrame | undefined): number {
  if (!frame) return 0;
  return Math.ceil(frame.width / 8) * Math.ceil(frame.height / 8) * frame.components.length;
}

function summarize(headers: JpegHeaders, scans: JpegScans): InspectionResult<JpegInspection> {
  const { frame } = headers;
  if (!frame) return broken('The JPEG has a scan before its frame header.');
  return {
    kind: 'image',
    image: {
      type: 'jpeg',
      width: frame.width,
      height: frame.height,
      bitDepth: 8,
      hasAlpha: false,
      isGrey: frame.components.length === 1,
      frames: 1,
      orientation: headers.orientation ?? 1,
      icc: headers.icc.length === headers.iccChunks ? headers.icc : [],
      process: frame.process,
      components: frame.components,
      colorSpace: colorSpace(frame, headers),
      ...(frame.components.length === 4 && {
        areInksInverted: headers.adobeTransform !== undefined,
      }),
      quantizationTables: headers.quantizationTables,
      restartInterval: headers.restartInterval,
      hasEndMarker: scans.areEnded,
      scans: scans.count,
      partsMs: segmentMs * scans.segments,
    },
  };
}

/**
 * The color space of the components, which T.81 does not define: by JFIF (ITU-T T.871 §6.1), by Adobe's APP14 (T.872
 * §6.5.3), or RGB if the component ids are `RGB`, as in libjpeg, where any transform of four components is that to YCCK.
 */
function colorSpace(frame: JpegFrame, headers: JpegHeaders): JpegColorSpace {
  const { components } = frame;
  if (components.length === 1) return 'grey';
  if (components.length === 4) return headers.adobeTransform ? 'ycck' : 'cmyk';
  if (headers.hasJfif) return 'ycbcr';
  if (headers.adobeTransform !== undefined) return headers.adobeTransform === 0 ? 'rgb' : 'ycbcr';
  const ids = String.fromCharCode(...components.map((component) => component.id));
  return ids === 'RGB' ? 'rgb' : 'ycbcr';
}

/** Data from the segments before the first scan. */
interface JpegHeaders {
  frame: JpegFrame | undefined;
  readonly quantizationTables: (Uint16Array | undefined)[];
  restartInterval: number;
  hasJfif: boolean;
  adobeTransform: number | undefined;
  orientation: Orientation | undefined;
  readonly icc: ByteRange[];
  /** Stated number of chunks of the profile; 0 before the first one, -1 if they contradict each other. */
  iccChunks: number;
}

function emptyJpegHeaders(): JpegHeaders {
  return {
    frame: undefined,
    quantizationTables: [undefined, undefined, undefined, undefined],
    restartInterval: 0,
    hasJfif: false,
    adobeTransform: undefined,
    orientation: undefined,
    icc: [],
    iccChunks: 0,
  };
}

/** Reads a segment; returns a refusal if decoding could not continue after it. */
function readJpegSegment(
  view: DataView,
  code: number,
  segment: ByteCursor,
  headers: JpegHeaders,
): Unreadable | undefined {
  switch (code) {
    case marker.dqt:
      return readQuantizationTables(segment, headers.quantizationTables);
    case marker.dri:
      if (segment.remaining !== 2) return broken('The JPEG restart interval has a wrong length.');
      headers.restartInterval = segment.uint16();
      return undefined;
    case marker.app0:
      if (segment.remaining >= 14 && segment.text(5) === 'JFIF\0') headers.hasJfif = true;
      return undefined;
    case marker.app1:
      // Exactly this signature: XMP shares the marker.
      if (segment.text(6) === 'Exif\0\0') {
        // The first EXIF block applies, even if it has no orientation.
        headers.orientation ??= exifOrientation(view, segment.position, segment.end) ?? 1;
      }
      return undefined;
    case marker.app2:
      readIccChunk(segment, headers);
      return undefined;
    case marker.app14:
      if (segment.remaining >= 12 && segment.text(5) === 'Adobe') {
        segment.skip(6);
        headers.adobeTransform = segment.uint8();
      }
      return undefined;
    case marker.dht:
    case marker.dac:
    case marker.dnl:
    case marker.com:
      return undefined;
    case marker.dhp:
    case marker.exp:
      return unsupportedFeature('Hierarchical JPEG is not supported.');
    case marker.sof55:
      return unsupportedFeature('JPEG-LS is not supported.');
  }
  if (code > marker.app0 && code <= marker.app15) return undefined;
  if (isFrameHeader(code)) {
    if (headers.frame) return broken('The JPEG has two frame headers.');
    const frame = readJpegFrame(code, segment);
    if (isUnreadable(frame)) return frame;
    headers.frame = frame;
    return undefined;
  }
  return broken('The JPEG has a marker with no meaning inside its headers.');
}

/**
 * Reads a chunk of a profile (ICC.1:2010 annex B.4): `ICC_PROFILE\0`, number of the chunk, starting from 1, number of
 * chunks. FlashPix and MPF use the same marker. A profile with missing or disordered chunks is ignored.
 */
function readIccChunk(segment: ByteCursor, headers: JpegHeaders): void {
  if (segment.remaining < 14 || segment.text(12) !== 'ICC_PROFILE\0') return;
  const number = segment.uint8();
  const chunks = segment.uint8();
  if (headers.icc.length === 0 && headers.iccChunks === 0) headers.iccChunks = chunks;
  if (chunks !== headers.iccChunks || number !== headers.icc.length + 1 || number > chunks) {
    headers.iccChunks = -1;
    return;
  }
  headers.icc.push({ offset: segment.position, length: segment.remaining });
}

interface JpegFrame {
  readonly process: JpegInspection['process'];
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
  /** 1, 3 or 4 components. */
  readonly components: readonly JpegComponent[];
}

/**
 * Reads a frame header, and refuses unsupported coding processes. Source: ITU-T T.81 §B.2.2, tables B.1 and B.2.
 * @param code second byte of the SOF marker
 * @param segment content of the segment, after its length
 */
function readJpegFrame(code: number, segment: ByteCursor): JpegFrame | Unreadable {
  const process = codingProcess(code);
  if (typeof process !== 'string') return process;

  const precision = segment.uint8();
  const height = segment.uint16();
  const width = segment.uint16();
  const count = segment.uint8();
  if (segment.overrun || segment.remaining !== 3 * count) {
    return broken('The JPEG frame header has a wrong length.');
  }
  if (precision === 12 && process !== 'baseline') {
    return unsupportedFeature('JPEG with 12 bits per sample is not supported.');
  }
  if (precision !== 8) return broken('The JPEG frame header has an impossible sample precision.');
  if (width === 0) return broken('The JPEG has a width of zero.');
  if (height === 0) {
    return unsupportedFeature(
      'JPEG whose height follows only after its data (DNL) is not supported.',
    );
  }
  if (count === 0) return broken('The JPEG has no components.');
  if (count !== 1 && count !== 3 && count !== 4) {
    return unsupportedFeature(`JPEG with ${count} components is not supported.`);
  }

  const components: JpegComponent[] = [];
  for (let i = 0; i < count; i++) {
    const id = segment.uint8();
    const sampling = segment.uint8();
    const component = {
      id,
      horizontal: sampling >> 4,
      vertical: sampling & 15,
      quantizationTable: segment.uint8(),
    };
    if (!isSamplingFactor(component.horizontal) || !isSamplingFactor(component.vertical)) {
      return broken('A JPEG component has an impossible sampling factor.');
    }
    if (component.quantizationTable > 3) {
      return broken('A JPEG component names an impossible quantization table.');
    }
    components.push(component);
  }
  return { process, width, height, components };
}

function codingProcess(code: number): JpegFrame['process'] | Unreadable {
  switch (code) {
    case 0xc0:
      return 'baseline';
    case 0xc1:
      return 'extended';
    case 0xc2:
      return 'progressive';
    case 0xc3:
      return unsupportedFeature('Lossless JPEG is not supported.');
    case 0xc9:
    case 0xca:
    case 0xcb:
      return unsupportedFeature('JPEG with arithmetic coding is not supported.');
    default:
      return unsupportedFeature('Hierarchical JPEG is not supported.');
  }
}

function isSamplingFactor(factor: number): boolean {
  return factor >= 1 && factor <= 4;
}

/** Maximum number of scans, each of which a decoder applies to the whole picture; no encoder writes more. */
const maxScans = 500;

/**
 * Maximum of scans × blocks, a measure of the work: 13 ns each if short end-of-band runs span all blocks, which is
 * possible in a file of a hundred kilobytes. The largest accepted progressive picture has 2 million blocks, so it may
 * have 50 scans.
 */
const maxWork = 100_000_000;

/** Number of scans that is always allowed: one for each component; their cost is bounded by the size of the picture. */
const fewScans = 4;

/** Properties of the scans of a JPEG, found without decoding them. */
interface JpegScans {
  readonly count: number;
  /** Number of segments up to the end marker, and at most `maxSegments`. */
  readonly segments: number;
  /** Whether they are followed by an end marker. */
  readonly areEnded: boolean;
}

/**
 * Counts scan headers up to the end marker. Segments are skipped by their length, as in decoders: an end marker inside
 * a comment does not count, and an invalid length ends the file.
 *
 * @param walker must be at the header of the first scan
 * @param before number of segments up to that
 */
function countScans(walker: MarkerWalker, before: number): JpegScans {
  let count = 1;
  let segments = before;
  while (walker.next()) {
    const { code } = walker;
    if (code === marker.eoi) return { count, segments, areEnded: true };
    segments += 1;
    if (code === marker.sos) count += 1;
    if (count > maxScans || segments === maxSegments) break;
  }
  return { count, segments, areEnded: false };
}

function areWithinLimits(scans: number, blocks: number): boolean {
  return scans <= maxScans && (scans <= fewScans || scans * blocks <= maxWork);
}
