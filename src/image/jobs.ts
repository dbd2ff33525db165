import type { ImageType } from './inspect/inspection.ts';
import { uprightSize } from './inspect/upright-size.ts';
import type { Job } from './jobs/job.ts';
import { keptJobs } from './jobs/kept.ts';
import { remadeJobs } from './jobs/remade.ts';
import type { OptimizeOptions } from './options.ts';
import { resizeTarget } from './pixels/resize-target.ts';
import type { Refusal } from './refusal.ts';
import type { Source } from './source.ts';

/**
 * What can be tried to answer in one format.
 * @returns jobs, of which the smallest result wins, or why the format is out
 */
export function jobsFor(
  type: ImageType,
  source: Source,
  options: OptimizeOptions,
): readonly Job[] | Refusal {
  const { image } = source;
  const target = resizeTarget(uprightSize(image), options);
  return type === image.type && !target
    ? keptJobs(source, options)
    : remadeJobs(type, source, options, target);
}
