import { Zlib } from 'fflate';
import { joinBytes } from '../containers/byte-strings.ts';
import { pngChunk } from '../containers/png-chunks.ts';
import { bytesPerRasterPixel, type Raster } from '../raster.ts';
import { FilteredRows } from './filtered-rows.ts';

/** Samples of a pixel that are written, by colour type (PNG third edition §11.2.1). */
const samples = { 0: 1, 2: 3, 6: 4 } as const;

export type WrittenColorType = keyof typeof samples;

/** Rows are deflated in pieces of about so many bytes, which bounds what the compressor holds. */
const pieceBytes = 64 * 1024;

/**
 * Writes a raster as a plain 8-bit PNG as its rows go by: nothing of its size
 * is made but the result. Larger than what oxipng makes of it, in a fortieth
 * of the memory.
 *
 * @param colorType 0 takes the red samples, 0 and 2 leave alpha out
 */
export function writePng(
  { width, height, data }: Raster,
  colorType: WrittenColorType,
): Uint8Array<ArrayBuffer> {
  const chunks = [signature, header(width, height, colorType)];
  const deflate = new Zlib({ level: 9 }, (bytes) => {
    if (bytes.length > 0) chunks.push(pngChunk('IDAT', bytes));
  });
  const filtered = new FilteredRows(width, samples[colorType]);
  const piece = new Uint8Array(Math.max(pieceBytes, filtered.rowBytes));
  let filled = 0;
  for (let y = 0; y < height; y += 1) {
    const row = filtered.next(data, bytesPerRasterPixel * width * y);
    if (filled + row.length > piece.length) {
      deflate.push(piece.slice(0, filled));
      filled = 0;
    }
    piece.set(row, filled);
    filled += row.length;
  }
  deflate.push(piece.slice(0, filled), true);
  return joinBytes(...chunks, pngChunk('IEND', new Uint8Array()));
}

/** The most that a written file takes: deflate stores what it cannot press. */
export function pngResultBytes(width: number, height: number, colorType: WrittenColorType): number {
  return 1.01 * height * (1 + samples[colorType] * width) + 4 * pieceBytes;
}

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

function header(width: number, height: number, colorType: number): Uint8Array {
  const content = new Uint8Array(13);
  const view = new DataView(content.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  content.set([8, colorType], 8);
  return pngChunk('IHDR', content);
}
