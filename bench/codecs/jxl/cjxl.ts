import { ByteCursor, viewOf } from '../../../src/image/container/byte-cursor.ts';
import { nextBox } from '../../../src/image/container/iso-boxes.ts';
import { converted, isInstalled } from '../peers.ts';

/** Whether libjxl's programs, with which results are compared, are installed. */
export const hasCjxl = isInstalled('cjxl') && isInstalled('djxl');

const plain = ['--lossless_jpeg=1', '--container=0', '--quiet'];

/**
 * Transcodes a JPEG's coefficients with cjxl.
 * @param hasCorrelation whether chroma is predicted from luma, as by default
 * @throws Error if it fails
 */
export function byCjxl(
  jpeg: Uint8Array,
  hasCorrelation: boolean,
): Promise<Uint8Array<ArrayBuffer>> {
  const options = hasCorrelation ? ['-e', '7'] : ['--jpeg_reconstruction_cfl=0'];
  return converted('cjxl', (from, to) => [from, to, ...plain, ...options], {
    name: 'picture.jpg',
    bytes: jpeg,
  });
}

/**
 * The pixels that djxl decodes, as a PPM file.
 * @throws Error if it fails
 */
export function byDjxl(jxl: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const input = { name: 'picture.jxl', bytes: jxl };
  return converted('djxl', (from, to) => [from, to, '--quiet'], input, 'picture.ppm');
}

/** Bytes of the codestream in a file, not counting other boxes, which contain metadata. */
export function codestreamBytes(file: Uint8Array): number {
  const view = viewOf(file);
  if (view.getUint16(0) === 0xff0a) return file.length;
  const cursor = new ByteCursor(view, 0, file.length);
  let bytes = 0;
  for (let box = nextBox(cursor); box; box = cursor.remaining > 0 ? nextBox(cursor) : undefined) {
    // A jxlp box starts with a part number of four bytes.
    if (box.type === 'jxlc') bytes += box.end - box.start;
    if (box.type === 'jxlp') bytes += box.end - box.start - 4;
  }
  return bytes;
}
