import { ByteCursor } from '../container/byte-cursor.ts';

/** First bytes of formats that people do send, as ISO 8859-1. */
const signatures: readonly (readonly [signature: string, name: string])[] = [
  ['GIF87a', 'GIF'],
  ['GIF89a', 'GIF'],
  ['II*\0', 'TIFF'],
  ['MM\0*', 'TIFF'],
  ['II+\0', 'TIFF'],
  ['MM\0+', 'TIFF'],
  ['\xff\x0a', 'JPEG XL'],
  ['\0\0\0\x0cJXL \r\n\x87\n', 'JPEG XL'],
  ['\0\0\0\x0cjP  \r\n\x87\n', 'JPEG 2000'],
  ['\xff\x4f\xff\x51', 'JPEG 2000'],
  ['II\xbc', 'JPEG XR'],
  ['8BPS', 'PSD'],
  ['\0\0\x01\0', 'ICO'],
  ['%PDF-', 'PDF'],
];

/** HEIF brands; `mif1` and `msf1` name no codec, and without an AV1 brand they are HEVC in practice. */
const heifBrands = ['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis', 'hevm', 'hevs', 'mif1', 'msf1'];

/** Comments and a DOCTYPE may come before the root element; further than this nobody looks. */
const svgSearchBytes = 1024;

/**
 * The name of an image format that we know of but do not read, or `unknown`. A hint for an error
 * message: `brands` are those of an ISO base media file.
 */
export function foreignType(view: DataView, brands: readonly string[]): string {
  const cursor = new ByteCursor(view, 0, view.byteLength);
  const text = cursor.text(Math.min(svgSearchBytes, cursor.remaining));
  const known = signatures.find(([signature]) => text.startsWith(signature));
  if (known) return known[1];
  if (brands.some((brand) => heifBrands.includes(brand))) return 'HEIC';
  // "BM" alone begins too many texts: the reserved words after the size are zero.
  if (/^BM[\s\S]{4}\0\0\0\0/.test(text)) return 'BMP';
  if (/^(\xef\xbb\xbf)?\s*</.test(text) && /<svg[\s>]/.test(text)) return 'SVG';
  return 'unknown';
}
