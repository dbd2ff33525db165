import { ContainerError } from './containers/container-error.ts';
import { rewrap } from './containers/rewrap.ts';
import type { ImageType } from './inspect/inspection.ts';
import type { Job } from './jobs.ts';
import { damaged, type Refusal } from './refusal.ts';
import type { Source } from './source.ts';

/**
 * Makes a coded picture ready to be sent: its own profile and orientation in,
 * every other metadata out. Pixels that were turned upright carry no
 * orientation any more.
 */
export function finish(
  type: ImageType,
  file: Uint8Array<ArrayBuffer>,
  job: Job,
  { image, icc }: Source,
): Uint8Array<ArrayBuffer> | Refusal {
  const upright = job.engine === 'raster' && job.turn !== 1;
  try {
    return rewrap(type, file, { icc, orientation: upright ? 1 : image.orientation });
  } catch (error) {
    if (error instanceof ContainerError) return damaged;
    throw error;
  }
}
