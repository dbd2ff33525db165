import type { PngChunk } from './chunks.ts';
import { deflatedPngText, longTextBytes } from './metadata.ts';

/** What reading a file takes besides its rows, from its chunk headers. */
export interface PngLoad {
  /** Number of chunks. */
  chunks: number;
  /** Bytes of all IDAT and fdAT chunks. */
  codedBytes: number;
  /** Bytes of deflated texts. */
  textBytes: number;
  /** Whether a text is so long that it may inflate to any length. */
  hasLongText: boolean;
}

/** Maximum number of chunks, each of which takes time; those that encoders write hold some kilobytes. */
export const maxChunks = 2 ** 17;

export function emptyLoad(): PngLoad {
  return { chunks: 0, codedBytes: 0, textBytes: 0, hasLongText: false };
}

/** Adds a whole chunk of the file. */
export function addLoad(load: PngLoad, file: Uint8Array, chunk: PngChunk): void {
  load.chunks += 1;
  if (chunk.type === 'IDAT' || chunk.type === 'fdAT') load.codedBytes += chunk.end - chunk.start;
  const text = deflatedPngText(file, chunk);
  if (!text) return;
  load.textBytes += text.length;
  load.hasLongText ||= text.length > longTextBytes;
}

/** Times in milliseconds for chunks, for bytes of the deflated profile and texts, and for inflating a bomb. */
const costs = { chunk: 0.003, profileByte: 60e-6, textByte: 60e-6, longText: 15 } as const;

/** CPU time of everything in a file besides its rows, in milliseconds, for the worst blocks that are accepted. */
export function pngPartsMs(load: PngLoad, profileBytes: number): number {
  const packed = costs.profileByte * profileBytes + costs.textByte * load.textBytes;
  return costs.chunk * load.chunks + packed + (load.hasLongText ? costs.longText : 0);
}
