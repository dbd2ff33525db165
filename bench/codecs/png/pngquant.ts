import { piped } from '../native-program.ts';

/** pngquant with its default quality at speed 3; undefined where it is not installed or refuses the file. */
export function byPngquant(file: Uint8Array): Uint8Array | undefined {
  return piped('pngquant', ['--speed', '3', '-'], file);
}
