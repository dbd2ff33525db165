import type { ImageType, Inspection } from './inspect/inspection.ts';
import type { Job } from './jobs/job.ts';
import { fits } from './jobs/peak.ts';
import { jobsFor } from './jobs.ts';
import { buffersLimit } from './memory.ts';
import type { OptimizeOptions } from './options.ts';
import { type Refusal, refuseTooLarge } from './refusal.ts';
import type { Source } from './source.ts';

/** Finds how many pixels of a picture shaped like this one an engine could take. */
export function tooLarge(
  type: ImageType,
  engine: Job['engine'],
  source: Source,
  options: OptimizeOptions,
): Refusal {
  const fitsAt = (factor: number) => {
    const smaller = { ...source, image: scaled(source.image, factor) };
    const jobs = jobsFor(type, smaller, options);
    return (
      'kind' in jobs ||
      jobs.every((job) => job.engine !== engine || fits(job, smaller, options.metadata))
    );
  };
  let [fitting, exceeding] = [0, 1];
  for (let i = 0; i < 24; i += 1) {
    const middle = (fitting + exceeding) / 2;
    if (fitsAt(middle)) fitting = middle;
    else exceeding = middle;
  }
  const { width, height } = scaled(source.image, fitting);
  return width * height > 1 ? refuseTooLarge(width * height) : fileTooLarge();
}

/** For a file that is too large whatever is in it: itself and a copy have to fit. */
export function fileTooLarge(): Refusal {
  return { kind: 'refused', reason: 'file-too-large', limitBytes: buffersLimit / 2 };
}

function scaled(image: Inspection, factor: number): Inspection {
  // odd sides cost more in some formats, so they stay odd
  const side = (length: number) =>
    Math.max(1, 2 * Math.floor((length * factor) / 2) + (length & 1));
  const size = { width: side(image.width), height: side(image.height) };
  return image.type === 'avif' ? { ...image, ...size, cleanAperture: null } : { ...image, ...size };
}
