import type { ImageType } from '../../../../src/image/formats/facts.ts';
import { inspect, type SourceImage } from '../../../../src/image/formats/registry.ts';

export type Part = number | string | Uint8Array | readonly number[];

/** Joins bytes, byte arrays and ISO 8859-1 strings. */
export function bytes(...parts: Part[]): Uint8Array {
  return Uint8Array.from(
    parts.flatMap((part) => {
      if (typeof part === 'number') return [part];
      if (typeof part === 'string') return [...part].map((character) => character.charCodeAt(0));
      return [...part];
    }),
  );
}

export function be16(value: number): number[] {
  return [(value >>> 8) & 255, value & 255];
}

export function be32(value: number): number[] {
  return [...be16(value >>> 16), ...be16(value)];
}

export function le24(value: number): number[] {
  return [value & 255, (value >>> 8) & 255, (value >>> 16) & 255];
}

export function le32(value: number): number[] {
  return be32(value).reverse();
}

/** A TIFF block whose first IFD has an ImageWidth and an Orientation. */
export function exif(orientation: number, order: 'II' | 'MM'): Uint8Array {
  const u16 = (value: number) => (order === 'II' ? be16(value).reverse() : be16(value));
  const u32 = (value: number) => (order === 'II' ? le32(value) : be32(value));
  const width = bytes(u16(0x0100), u16(3), u32(1), u16(640), u16(0));
  const tag = bytes(u16(0x0112), u16(3), u32(1), u16(orientation), u16(0));
  return bytes(order, u16(42), u32(8), u16(2), width, tag, u32(0));
}

/** The inspection of a file that must be an image of this type. */
export function inspected<Type extends ImageType>(
  type: Type,
  file: Uint8Array,
): Extract<SourceImage, { type: Type }> {
  const result = inspect(file);
  if (result.kind !== 'image') throw new Error(`not an image: ${JSON.stringify(result)}`);
  const { image } = result;
  if (!hasType(image, type)) throw new Error(`not ${type}: ${image.type}`);
  return image;
}

function hasType<Type extends ImageType>(
  image: SourceImage,
  type: Type,
): image is Extract<SourceImage, { type: Type }> {
  return image.type === type;
}
