import { metadataBytes } from '../containers/metadata-block.ts';
import { jpegCoefficientsPeak } from '../engines/jpeg-coefficients.ts';
import { originalPeak } from '../engines/original.ts';
import { pngStreamPeak } from '../engines/png-stream.ts';
import { rasterPeak } from '../engines/raster.ts';
import { fitsAlone } from '../memory.ts';
import type { Peak } from '../memory-ledger.ts';
import type { OptimizeOptions } from '../options.ts';
import type { Source } from '../source.ts';
import type { Job } from './job.ts';

/**
 * Pixels that are gone through for one request: more than any camera takes at
 * once (102 megapixels). Pictures that flow by would fit into memory at any size,
 * and 32 MiB of a PNG can unpack to 33 GB.
 */
export const mostPixels = 120_000_000;

/** The memory that a job takes beside the file. */
export function peakOf(job: Job, source: Source, level: OptimizeOptions['metadata']): Peak {
  const { arena, buffers } = enginePeak(job, source);
  return { arena, buffers: buffers + carriedBytes(source, level) };
}

/** What goes on from the source beside its pixels: as it was read, deflated, as a chunk, and in the result. */
function carriedBytes({ icc, color }: Source, level: OptimizeOptions['metadata']): number {
  const profile = 4 * Math.max(icc?.length ?? 0, color.profile?.length ?? 0);
  return profile + (level === 'none' ? 0 : metadataBytes);
}

function enginePeak(job: Job, source: Source): Peak {
  switch (job.engine) {
    case 'jpeg-coefficients':
      return jpegCoefficientsPeak(source, job);
    case 'raster':
      return rasterPeak(source, job);
    case 'png-stream':
      return pngStreamPeak(source, job);
    case 'original':
      return originalPeak(source, job);
  }
}

/** Whether a job can be done in an isolate that does nothing else. */
export function fits(job: Job, source: Source, level: OptimizeOptions['metadata']): boolean {
  const { width, height } = source.image;
  const isGoneThrough = job.engine !== 'original' || job.verify;
  if (isGoneThrough && width * height > mostPixels) return false;
  return fitsAlone(peakOf(job, source, level), source.fileBytes);
}
