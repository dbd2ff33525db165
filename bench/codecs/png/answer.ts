import { inspect } from '../../../src/image/formats/registry.ts';
import type { OptimizeOptions } from '../../../src/image/pipeline/options.ts';
import { answered } from '../answer.ts';

/** PNG to PNG as the service answers it, within the memory of an isolate; undefined: refused, or an animation. */
export function answer(
  file: Uint8Array<ArrayBuffer>,
  quality: OptimizeOptions['quality'],
): Uint8Array<ArrayBuffer> | undefined {
  return answered(file, { quality })?.bytes;
}

const kinds = { 0: 'grey', 2: 'RGB', 3: 'palette', 4: 'grey, alpha', 6: 'RGBA' } as const;

/** In words, how a PNG holds its picture. */
export function layoutOf(file: Uint8Array): string {
  const result = inspect(file);
  if (result.kind !== 'image' || result.image.type !== 'png') return 'no PNG';
  const { colorType, paletteSize, bitDepth } = result.image;
  if (colorType === 3) return `palette of ${paletteSize}`;
  return bitDepth === 8 ? kinds[colorType] : `${kinds[colorType]}, ${bitDepth} bits`;
}
