import { marker } from './jpeg-markers.ts';

/** More scans than any encoder writes; a decoder goes over the whole picture for each of them. */
const mostScans = 500;

/** Scans × blocks, a measure of the work: some seconds for the slowest decoder. */
const mostWork = 300_000_000;

/**
 * Whether decoding the scans from `start` on is work of a bounded size. Counts
 * their headers up to the end marker; what looks like one inside a segment
 * counts too, which takes a crafted file to matter.
 *
 * @param start of the first scan's data in bytes
 * @param blocks of 8 × 8 samples in the picture
 */
export function hasBearableScans(bytes: Uint8Array, start: number, blocks: number): boolean {
  let scans = 1;
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const code = bytes[at + 1];
    if (code === marker.eoi) break;
    if (code === marker.sos) scans += 1;
    if (scans > mostScans) return false;
  }
  return scans * blocks <= mostWork;
}
