import { type MediaType, typeOfBytes } from '../images.ts';
import { walkAvif, walkJxl } from './box-files.ts';
import { type Size, walkGif, walkJpeg, walkPng, walkWebp } from './raster-files.ts';

/** Reads a file to its end, and returns the sizes that it states for its image; throws a RangeError for damage. */
type Walk = (file: Buffer) => readonly Size[];

const walks: Readonly<Record<MediaType, Walk>> = {
  'image/jpeg': walkJpeg,
  'image/png': walkPng,
  'image/webp': walkWebp,
  'image/avif': walkAvif,
  'image/gif': walkGif,
  'image/jxl': walkJxl,
};

/** What the service says about a result. */
export interface Stated {
  readonly type: MediaType;
  /** Dimensions of the upright image in pixels. */
  readonly width: number;
  readonly height: number;
}

/**
 * Why a result may not replace anything, as an end of a sentence; null if it is a whole file of the stated type and
 * dimensions. Only the container is read: pixels are not decoded.
 */
export function damageIn(bytes: Uint8Array, { type, width, height }: Stated): string | null {
  if (typeOfBytes(bytes) !== type) return `it is no ${type}`;
  let sizes: readonly Size[];
  try {
    sizes = walks[type](Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    if (error instanceof RangeError) return 'it is damaged or incomplete';
    throw error;
  }
  // an orientation tag turns the image by a quarter
  const isStated = ([one, other]: Size) =>
    (one === width && other === height) || (one === height && other === width);
  return sizes.some(isStated) ? null : `it does not have ${width} × ${height} pixels`;
}
