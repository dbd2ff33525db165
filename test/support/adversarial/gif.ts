import { extension, madeGif } from '../gif-maker/gif-maker.ts';
import { BitWriter, joined, repeated, wholeBytes } from './bit-writer.ts';

const table = Array.from({ length: 256 }, (_, i) => [i, i, i]).flat();
const head = { width: 64, height: 64, globalTable: table, hasTrailer: false, frames: [] };
const end = Uint8Array.of(0x3b);

/** One picture of 64 × 64 pixels whose data begin with clear codes, in sub-blocks of this length. */
export function gifOfClears(bytes: number, subBlockBytes: number): Uint8Array<ArrayBuffer> {
  // Eight codes of nine bits.
  const clears = repeated(
    wholeBytes((to) => to.put(256, 9)),
    bytes,
  );
  return gifOf(joined(clears, zeros), subBlockBytes);
}

/** One picture whose data are cleared after every index. */
export function gifOfShortRuns(width: number, height: number): Uint8Array<ArrayBuffer> {
  const units = repeated(
    wholeBytes((to) => to.put(256, 9).put(7, 9)),
    (width * height * 18) / 8,
  );
  const tail = new BitWriter().put(257, 9).bytes;
  const blocks = inSubBlocks(joined(units, tail), 255);
  return joined(madeGif({ ...head, width, height }), picture(0, 0, width, height), blocks, end);
}

/** One picture whose data are followed by sub-blocks that nothing needs. */
export function gifOfRest(bytes: number): Uint8Array<ArrayBuffer> {
  const rest = new Uint8Array(bytes).fill(0xaa);
  return gifOf(joined(zeros, rest), 1);
}

/** Frames of one pixel outside the canvas, after one that covers it. */
export function gifOfOutsiders(bytes: number): Uint8Array<ArrayBuffer> {
  const outsider = joined(picture(64, 64, 1, 1), Uint8Array.of(3, ...onePixel, 0));
  return joined(
    madeGif(head),
    picture(0, 0, 64, 64),
    inSubBlocks(zeros, 255),
    repeated(outsider, bytes),
    end,
  );
}

/** Comments of one byte each, or one comment in sub-blocks of one byte, before a picture. */
export function gifOfComments(bytes: number, kind: 'many' | 'long'): Uint8Array<ArrayBuffer> {
  const comments =
    kind === 'many'
      ? repeated(extension(0xfe, [0]), bytes)
      : joined(Uint8Array.of(0x21, 0xfe), repeated(Uint8Array.of(1, 1), bytes), Uint8Array.of(0));
  return joined(madeGif(head), comments, picture(0, 0, 64, 64), inSubBlocks(zeros, 255), end);
}

/** Codes of 64 × 64 pixels of index 0, a table for each. */
const zeros = ((): Uint8Array => {
  const to = new BitWriter();
  for (let i = 0; i < 64 * 64; i += 1) to.put(256, 9).put(0, 9);
  return to.put(257, 9).bytes;
})();

const onePixel = new BitWriter().put(256, 9).put(0, 9).put(257, 9).bytes.subarray(0, 3);

function gifOf(data: Uint8Array, subBlockBytes: number): Uint8Array<ArrayBuffer> {
  return joined(madeGif(head), picture(0, 0, 64, 64), inSubBlocks(data, subBlockBytes), end);
}

/** An image descriptor, and the code size. */
function picture(left: number, top: number, width: number, height: number): Uint8Array {
  const words = [left, top, width, height].flatMap((value) => [value & 255, value >> 8]);
  return Uint8Array.of(0x2c, ...words, 0, 8);
}

function inSubBlocks(data: Uint8Array, length: number): Uint8Array {
  const bytes = new Uint8Array(data.length + Math.ceil(data.length / length) + 1);
  let to = 0;
  for (let at = 0; at < data.length; at += length) {
    const part = data.subarray(at, at + length);
    bytes[to] = part.length;
    bytes.set(part, to + 1);
    to += 1 + part.length;
  }
  return bytes;
}
