import type { ByteCursor } from './byte-cursor.ts';
import { exifOrientation } from './exif-orientation.ts';
import type { ByteRange, Orientation } from './inspection.ts';
import { type JpegFrame, readJpegFrame } from './jpeg-frame.ts';
import { marker } from './jpeg-markers.ts';
import { readQuantizationTables } from './jpeg-quantization.ts';
import { broken, isRefusal, type Refusal, unsupportedFeature } from './refusal.ts';

/** What the segments before the first scan have said so far. */
export interface JpegHeaders {
  frame: JpegFrame | undefined;
  readonly quantizationTables: (Uint16Array | undefined)[];
  restartInterval: number;
  hasJfif: boolean;
  adobeTransform: number | undefined;
  orientation: Orientation | undefined;
  readonly icc: ByteRange[];
  /** Chunks that the profile says it has; 0 before the first, -1 once they contradict each other. */
  iccChunks: number;
}

export function emptyJpegHeaders(): JpegHeaders {
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

/** Takes from a segment what it says; a refusal when no decoder could go on after it. */
export function readJpegSegment(
  view: DataView,
  code: number,
  segment: ByteCursor,
  headers: JpegHeaders,
): Refusal | undefined {
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
        // of several blocks the first counts, whatever it says
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
  if (code >= marker.sof0 && code <= marker.sof15 && code !== marker.jpg) {
    if (headers.frame) return broken('The JPEG has two frame headers.');
    const frame = readJpegFrame(code, segment);
    if (isRefusal(frame)) return frame;
    headers.frame = frame;
    return undefined;
  }
  return broken('The JPEG has a marker with no meaning inside its headers.');
}

/**
 * ICC.1:2010 annex B.4: `ICC_PROFILE\0`, number of this chunk from 1, number of chunks. FlashPix and
 * MPF use the same marker. A profile with chunks missing or out of order is no profile.
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
