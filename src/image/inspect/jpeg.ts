import { ByteCursor } from './byte-cursor.ts';
import type { InspectionResult, JpegColorSpace } from './inspection.ts';
import type { JpegFrame } from './jpeg-frame.ts';
import { marker } from './jpeg-markers.ts';
import { countScans } from './jpeg-scans.ts';
import { emptyJpegHeaders, type JpegHeaders, readJpegSegment } from './jpeg-segments.ts';
import { broken } from './refusal.ts';

const truncated = 'The JPEG ends inside its headers.';

/**
 * Reads the segments up to the first scan (ITU-T T.81 annex B). As libjpeg, it steps over fill bytes
 * and over garbage between segments, and refuses markers that no decoder could place.
 */
export function inspectJpeg(view: DataView): InspectionResult {
  const headers = emptyJpegHeaders();
  const cursor = new ByteCursor(view, 2, view.byteLength);
  for (;;) {
    const code = nextMarker(cursor);
    if (code === undefined) return broken(truncated);
    if (isStandalone(code)) continue;
    if (code === marker.soi)
      return broken('The JPEG has a second start marker inside its headers.');
    if (code === marker.eoi) return broken('The JPEG ends before its first scan.');

    const length = cursor.uint16();
    if (cursor.overrun) return broken(truncated);
    if (length < 2) return broken('A JPEG segment has an impossible length.');
    if (length - 2 > cursor.remaining) return broken(truncated);
    const segment = new ByteCursor(view, cursor.position, cursor.position + length - 2);
    cursor.skip(length - 2);

    if (code === marker.sos) {
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      const scans = countScans(bytes, cursor.position, blocksOf(headers.frame));
      return scans.areBearable
        ? summarize(headers, scans.areEnded)
        : broken('The JPEG has more scans than any encoder writes.');
    }
    const refusal = readJpegSegment(view, code, segment, headers);
    if (refusal) return refusal;
  }
}

/** In all components, halved chroma counted in full. */
function blocksOf(frame: JpegFrame | undefined): number {
  if (!frame) return 0;
  return Math.ceil(frame.width / 8) * Math.ceil(frame.height / 8) * frame.components.length;
}

/** Linear in the garbage that it steps over; undefined at the end of the file. */
function nextMarker(cursor: ByteCursor): number | undefined {
  let previous = 0;
  while (cursor.remaining > 0) {
    const byte = cursor.uint8();
    if (previous === 0xff && byte !== 0xff && byte !== 0x00) return byte;
    previous = byte;
  }
  return undefined;
}

function isStandalone(code: number): boolean {
  return code === marker.tem || (code >= marker.rst0 && code <= marker.rst7);
}

function summarize(headers: JpegHeaders, hasEndMarker: boolean): InspectionResult {
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
      quantizationTables: headers.quantizationTables,
      restartInterval: headers.restartInterval,
      hasEndMarker,
    },
  };
}

/**
 * T.81 does not say what components mean. JFIF (ITU-T T.871 §6.1) does, Adobe's APP14 (T.872 §6.5.3)
 * does, and without either the ids `RGB` are the custom that libjpeg follows.
 */
function colorSpace(frame: JpegFrame, headers: JpegHeaders): JpegColorSpace {
  const { components } = frame;
  if (components.length === 1) return 'grey';
  if (components.length === 4) return headers.adobeTransform === 2 ? 'ycck' : 'cmyk';
  if (headers.hasJfif) return 'ycbcr';
  if (headers.adobeTransform !== undefined) return headers.adobeTransform === 0 ? 'rgb' : 'ycbcr';
  const ids = String.fromCharCode(...components.map((component) => component.id));
  return ids === 'RGB' ? 'rgb' : 'ycbcr';
}
