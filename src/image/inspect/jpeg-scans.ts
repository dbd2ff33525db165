import { marker } from './jpeg-markers.ts';

/** More scans than any encoder writes; a decoder goes over the whole picture for each of them. */
const mostScans = 500;

/** Scans × blocks, a measure of the work: some seconds for the slowest decoder. */
const mostWork = 300_000_000;

/** What the scans of a JPEG are like. */
export interface JpegScans {
  /** Decoding them is work of a bounded size. */
  readonly areBearable: boolean;
  /** An end marker follows them. */
  readonly areEnded: boolean;
}

/**
 * Counts the headers of scans up to the end marker; what looks like one inside
 * a segment counts too, which takes a crafted file to matter.
 *
 * @param start of the first scan's data in bytes
 * @param blocks of 8 × 8 samples in the picture
 */
export function countScans(bytes: Uint8Array, start: number, blocks: number): JpegScans {
  let scans = 1;
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const code = bytes[at + 1];
    if (code === marker.eoi) return { areBearable: scans * blocks <= mostWork, areEnded: true };
    if (code === marker.sos) scans += 1;
    if (scans > mostScans) break;
  }
  return { areBearable: scans <= mostScans && scans * blocks <= mostWork, areEnded: false };
}
