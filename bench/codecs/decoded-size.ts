import { inspect } from '../../src/image/formats/registry.ts';

/**
 * Width and height as coded, in pixels.
 *
 * @throws Error for what is no picture that the service knows
 */
export function decodedSize(file: Uint8Array): { width: number; height: number } {
  const result = inspect(file);
  if (result.kind !== 'image') throw new Error('not an image that is known');
  const { width, height } = result.image;
  return { width, height };
}
