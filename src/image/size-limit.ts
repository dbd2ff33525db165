import type { ImageType, Inspection } from './inspect/inspection.ts';
import type { Job } from './jobs/job.ts';
import { fits } from './jobs/peak.ts';
import { jobsFor } from './jobs.ts';
import { buffersLimit } from './memory.ts';
import type { OptimizeOptions } from './options.ts';
import { type Refusal, refuseTooLarge } from './refusal.ts';
import type { Source } from './source.ts';

/** Finds how many pixels of a picture shaped like this one an engine could take; or, where it takes none, how long a file. */
export function tooLarge(
  type: ImageType,
  engine: Job['engine'],
  source: Source,
  options: OptimizeOptions,
): Refusal {
  const fitsAt = (factor: number, fileBytes: number) => {
    const smaller = { ...source, image: scaled(source.image, factor), fileBytes };
    const jobs = jobsFor(type, smaller, options);
    return (
      'kind' in jobs ||
      jobs.every((job) => job.engine !== engine || fits(job, smaller, options.metadata))
    );
  };
  const pixelsIn = (fileBytes: number) => {
    const { width, height } = scaled(
      source.image,
      mostOf((factor) => fitsAt(factor, fileBytes)),
    );
    return width * height;
  };
  const pixels = pixelsIn(source.fileBytes);
  if (pixels > 1) return refuseTooLarge(pixels);
  // some decoders take many times the bytes of a file
  const share = mostOf((part) => fitsAt(1, Math.floor(part * source.fileBytes)));
  const fileBytes = Math.floor(share * source.fileBytes);
  if (fileBytes > 0) return fileTooLarge(fileBytes);
  const pixelsAtMost = pixelsIn(0);
  return pixelsAtMost > 1 ? refuseTooLarge(pixelsAtMost) : fileTooLarge();
}

/**
 * For a file that is too large with this picture in it.
 * @param limitBytes by default that of a file with whatever in it: itself and a copy have to fit
 */
export function fileTooLarge(limitBytes = buffersLimit / 2): Refusal {
  return { kind: 'refused', reason: 'file-too-large', limitBytes };
}

/** The largest part of one that fits, found by halving. */
function mostOf(fits: (part: number) => boolean): number {
  let [fitting, exceeding] = [0, 1];
  for (let i = 0; i < 24; i += 1) {
    const middle = (fitting + exceeding) / 2;
    if (fits(middle)) fitting = middle;
    else exceeding = middle;
  }
  return fitting;
}

function scaled(image: Inspection, factor: number): Inspection {
  // odd sides cost more in some formats, so they stay odd
  const side = (length: number) =>
    Math.max(1, 2 * Math.floor((length * factor) / 2) + (length & 1));
  const size = { width: side(image.width), height: side(image.height) };
  return image.type === 'avif' ? { ...image, ...size, cleanAperture: null } : { ...image, ...size };
}
