import { converted, isInstalled, piped } from '../codecs/peers.ts';
import type { CorpusFile } from '../harness/section.ts';

/** Peer programs, used as installed. */
export const hasGifsicle = isInstalled('gifsicle');
export const hasGif2webp = isInstalled('gif2webp');

/** `--lossy` values of gifsicle, coarsest first; the last one is lossless. */
export const lossyLevels = [1000, 500, 300, 200, 140, 100, 80, 60, 40, 20, 0] as const;

/** @throws Error if it fails */
export function byGifsicle({ bytes }: CorpusFile, lossy = 0): Uint8Array<ArrayBuffer> {
  const options = lossy > 0 ? ['-O3', `--lossy=${lossy}`] : ['-O3'];
  const made = piped('gifsicle', ['--no-warnings', ...options], bytes);
  if (!made) throw new Error('gifsicle failed');
  return made;
}

/** `-q` values of gif2webp. */
export const mixedQualities = [30, 50, 60, 75, 85, 95] as const;
export const plainQuality = 75;

/**
 * @param isMixed codes each frame lossy or lossless, whichever is shorter; otherwise all frames are lossless, and
 * `quality` is the effort
 * @throws Error if it fails
 */
export function byGif2webp(
  { bytes }: CorpusFile,
  quality: number,
  isMixed: boolean,
): Promise<Uint8Array<ArrayBuffer>> {
  const options = ['-quiet', ...(isMixed ? ['-mixed'] : []), '-q', String(quality)];
  return converted('gif2webp', (from, to) => [...options, from, '-o', to], {
    name: 'animation.gif',
    bytes,
  });
}
