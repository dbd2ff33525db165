import { spawnSync } from 'node:child_process';

/** pngquant with its default quality at speed 3; undefined where it is not installed or refuses the file. */
export function byPngquant(file: Uint8Array): Uint8Array | undefined {
  const options = { input: file, maxBuffer: 2 ** 30 };
  const { status, stdout } = spawnSync('pngquant', ['--speed', '3', '-'], options);
  return status === 0 ? new Uint8Array(stdout) : undefined;
}
