import { marker } from './jpeg-markers.ts';

/** More scans than any encoder writes; a decoder goes over the whole picture for each of them. */
const mostScans = 500;

/**
 * Scans × blocks, a measure of the work: 13 ns each where runs of few bits span all blocks, which a
 * file of a hundred kilobytes can do. The largest progressive picture that is taken has 2 million
 * blocks, and so may have 50 scans.
 */
const mostWork = 100_000_000;

/** One for each component. What they take is bounded by the size of the picture alone. */
const fewScans = 4;

/** What the scans of a JPEG are like. */
export interface JpegScans {
  /** Decoding them is work of a bounded size. */
  readonly areBearable: boolean;
  /** An end marker follows them. */
  readonly areEnded: boolean;
}

/**
 * Counts the headers of scans up to the end marker. It steps over segments by their length, as
 * decoders do: an end marker inside a comment is none.
 *
 * @param start of the first scan's data in bytes
 * @param blocks of 8 × 8 samples in the picture
 */
export function countScans(bytes: Uint8Array, start: number, blocks: number): JpegScans {
  let scans = 1;
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at)) {
    at += 1;
    const code = bytes[at];
    if (code === marker.eoi) return { areBearable: areBearable(scans, blocks), areEnded: true };
    if (code === marker.sos) scans += 1;
    if (scans > mostScans) break;
    if (code !== undefined && hasLength(code)) {
      // an impossible length ends what decoders see of the picture
      at += 1 + Math.max(2, ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0));
    }
  }
  return { areBearable: areBearable(scans, blocks), areEnded: false };
}

function areBearable(scans: number, blocks: number): boolean {
  return scans <= mostScans && (scans <= fewScans || scans * blocks <= mostWork);
}

/** All but stuffed and fill bytes, TEM, restart markers and SOI (ITU-T T.81 §B.1.1.3, §B.1.1.5). */
function hasLength(code: number): boolean {
  return code > marker.tem && code !== 0xff && (code < marker.rst0 || code > marker.soi);
}
