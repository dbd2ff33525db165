import { decode, decodingArena, decodingBuffers } from '../decode.ts';
import type { Inspection } from '../inspect/inspection.ts';
import type { Peak } from '../memory-ledger.ts';
import { bytesPerRasterPixel, endRaster } from '../raster.ts';
import { type Produced, produced } from './produced.ts';

/** The original file as the answer; `finish` takes out the metadata. */
export interface OriginalJob {
  readonly engine: 'original';
  /** Decode it first, so that no damaged picture is handed on; other jobs before it may have done so. */
  readonly verify: boolean;
}

/** Predicted memory of a job, the file itself not counted. */
export function originalPeak(image: Inspection, fileBytes: number, { verify }: OriginalJob): Peak {
  const raster = bytesPerRasterPixel * image.width * image.height;
  return verify
    ? {
        arena: decodingArena(image, fileBytes),
        buffers: Math.max(raster, decodingBuffers(image, fileBytes), fileBytes),
      }
    : { arena: 0, buffers: fileBytes };
}

/** The file as it is, looked through where the job says so. */
export function runOriginal(
  file: Uint8Array<ArrayBuffer>,
  image: Inspection,
  { verify }: OriginalJob,
): Produced {
  if (verify) {
    const decoded = decode(file, image);
    if ('kind' in decoded) return decoded;
    endRaster(decoded);
  }
  return produced(file);
}
