import type { ImageType } from '../formats/facts.ts';
import type { JpegCoefficientsJob } from '../formats/jpeg/jpeg-coefficients.ts';
import type { PngStreamJob } from '../formats/png/recode.ts';
import { uprightSize } from '../formats/registry.ts';
import { resizeTarget } from '../pixels/resize-target.ts';
import { type Refusal, refuseImage } from '../refusal.ts';
import type { Peak } from '../wasm/memory-ledger.ts';
import { keptJobs, remadeJobs } from './candidates.ts';
import type { RasterJob } from './encode.ts';
import type { OriginalJob } from './finish.ts';
import type { OptimizeOptions } from './options.ts';
import { fileTooLarge, fits, peakOf, tooLarge } from './predicted-memory.ts';
import type { Source } from './read-source.ts';

/** One way to answer, and the memory it takes beside the file. */
export interface Candidate {
  readonly type: ImageType;
  readonly job: Job;
  readonly peak: Peak;
}

export type Plan =
  /** The smallest result among the candidates is the answer. */
  | { readonly kind: 'planned'; readonly candidates: readonly Candidate[] }
  /** The original is the answer: an animation is never flattened. */
  | { readonly kind: 'animated'; readonly candidates: readonly Candidate[] }
  | Refusal;

/**
 * Decides what to try for a picture before a pixel of it is decoded. Pure: the
 * same source and options give the same plan in every isolate.
 */
export function plan(source: Source, options: OptimizeOptions): Plan {
  const { image } = source;
  const types = outputTypes(image.type, options);
  if (image.frames > 1) return animated(source, types, options);

  const candidates: Candidate[] = [];
  let refusal: Refusal | undefined;
  for (const type of types) {
    const jobs = jobsFor(type, source, options);
    if ('kind' in jobs) {
      refusal = jobs;
      continue;
    }
    let isLookedThrough = true;
    for (const wanted of jobs) {
      // with the job gone that would have decoded the picture, the original has to be decoded itself
      const job =
        isLookedThrough || wanted.engine !== 'original' ? wanted : { ...wanted, verify: true };
      if (fits(job, source, options.metadata)) {
        candidates.push({ type, job, peak: peakOf(job, source, options.metadata) });
      } else {
        isLookedThrough = false;
        refusal ??= tooLarge(type, job.engine, source, options);
      }
    }
  }
  // `auto` takes what can be had; a format asked for by name is had in full or not at all
  const settled = candidates.length > 0 && (options.format === 'auto' || !refusal);
  if (settled) return { kind: 'planned', candidates };
  return refusal ?? refuseImage('No format that was asked for can hold this picture.');
}

/** Types to try, the picture's own first. `auto` is bounded by what the caller can show. */
function outputTypes(own: ImageType, { format, accept }: OptimizeOptions): readonly ImageType[] {
  if (format === 'keep') return [own];
  if (format !== 'auto') return [format];
  const shown = ([own, 'webp', 'avif'] as const).filter((type) => accept.has(type));
  return shown.length > 0 ? [...new Set(shown)] : [own];
}

function animated(source: Source, types: readonly ImageType[], options: OptimizeOptions): Plan {
  const { image } = source;
  if (!types.includes(image.type)) {
    return refuseImage('Animations are not changed to another format: use format=keep.');
  }
  if (resizeTarget(uprightSize(image), options)) {
    return refuseImage('Animations are not resized: leave width and height away.');
  }
  const job = { engine: 'original', verify: false } as const;
  if (!fits(job, source, options.metadata)) return fileTooLarge();
  const peak = peakOf(job, source, options.metadata);
  const candidate = { type: image.type, job, peak };
  return { kind: 'animated', candidates: [candidate] };
}

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

/** One way to make the answer, ready for its engine. */
export type Job = JpegCoefficientsJob | RasterJob | PngStreamJob | OriginalJob;
