import { ByteCursor, viewOf } from '../../../src/image/container/byte-cursor.ts';
import { nextBox } from '../../../src/image/container/iso-boxes.ts';
import { converted, isInstalled } from '../peers.ts';

/** libjxl's programs, which results are held against as they are installed. */
export const hasCjxl = isInstalled('cjxl') && isInstalled('djxl');

const plain = ['--lossless_jpeg=1', '--container=0', '--quiet'];

/**
 * A JPEG's coefficients as cjxl codes them.
 * @param hasCorrelation chroma is predicted from luma, as by default
 * @throws Error where it fails
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
 * The pixels that djxl shows, as a file.
 * @throws Error where it fails
 */
export function byDjxl(jxl: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const input = { name: 'picture.jxl', bytes: jxl };
  return converted('djxl', (from, to) => [from, to, '--quiet'], input, 'picture.ppm');
}

/** Bytes of the codestream in a file: without the boxes of others, which hold metadata. */
export function codestreamBytes(file: Uint8Array): number {
  const view = viewOf(file);
  if (view.getUint16(0) === 0xff0a) return file.length;
  const cursor = new ByteCursor(view, 0, file.length);
  let bytes = 0;
  for (let box = nextBox(cursor); box; box = cursor.remaining > 0 ? nextBox(cursor) : undefined) {
    // a part begins with its number
    if (box.type === 'jxlc') bytes += box.end - box.start;
    if (box.type === 'jxlp') bytes += box.end - box.start - 4;
  }
  return bytes;
}
