import { crc32 } from 'node:zlib';
import { chunkTypes, fileChunks } from './chunks.ts';
import { PngDamaged } from './png-damaged.ts';

/**
 * The data of each IDAT chunk in turn, as views of the file: together they are one zlib stream
 * (PNG third edition §11.2.3). Throws `PngDamaged` on a wrong checksum, before the data are given out.
 */
export function* idatPayloads(file: Uint8Array): Generator<Uint8Array, void> {
  for (const { type, start, end, checksum } of fileChunks(file)) {
    if (type !== chunkTypes.IDAT) continue;
    if (crc32(file.subarray(start - 4, end)) !== checksum) {
      throw new PngDamaged('the checksum of image data is wrong');
    }
    yield file.subarray(start, end);
  }
}
