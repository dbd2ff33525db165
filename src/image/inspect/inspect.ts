import { inspectAvif } from './avif.ts';
import { ByteCursor } from './byte-cursor.ts';
import { fileTypeBrands } from './file-type-brands.ts';
import { foreignType } from './foreign-type.ts';
import type { InspectionResult } from './inspection.ts';
import { inspectJpeg } from './jpeg.ts';
import { inspectPng } from './png.ts';
import { inspectWebp } from './webp.ts';

/**
 * Says what kind of image a whole file is and what its headers tell, without decoding any of it.
 * The bytes decide, no name or media type does. Never throws, allocates nothing that grows with the
 * file, and takes time linear in its length at most.
 *
 * @example
 * const result = inspect(bytes);
 * if (result.kind === 'image' && result.image.type === 'jpeg') console.log(result.image.process);
 */
export function inspect(bytes: Uint8Array): InspectionResult {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = new ByteCursor(view, 0, view.byteLength).text(Math.min(12, view.byteLength));

  if (magic.startsWith('\xff\xd8')) return inspectJpeg(view);
  if (magic.startsWith('\x89PNG')) return inspectPng(view);
  if (magic.startsWith('RIFF') && magic.slice(8) === 'WEBP') return inspectWebp(view);
  const brands = fileTypeBrands(view);
  if (brands.includes('avif') || brands.includes('avis')) return inspectAvif(view, brands);
  return { kind: 'unsupported', what: foreignType(view, brands) };
}
