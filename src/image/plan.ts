import { originalPeak } from './engines/original.ts';
import { oxipngPeak } from './engines/oxipng.ts';
import { rasterPeak } from './engines/raster.ts';
import type { ImageType, Inspection } from './inspect/inspection.ts';
import { uprightSize } from './inspect/upright-size.ts';
import { type Job, jobsFor } from './jobs.ts';
import { buffersLimit, fitsAlone } from './memory.ts';
import type { Peak } from './memory-ledger.ts';
import type { OptimizeOptions } from './options.ts';
import { type Refusal, refuseImage, refuseOptions, refuseTooLarge } from './refusal.ts';
import type { Source } from './source.ts';

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
  const { image, fileBytes } = source;
  if (shrinks(image, options)) {
    return refuseOptions('Resizing is not available yet: leave width and height away.');
  }
  if (options.metadata !== 'none') {
    return refuseOptions('Keeping metadata is not available yet: use metadata=none.');
  }
  const types = outputTypes(image.type, options);
  if (image.frames > 1) return animated(source, types);

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
      const peak = peakOf(job, image, fileBytes);
      if (fitsAlone(peak, fileBytes)) {
        candidates.push({ type, job, peak });
      } else {
        isLookedThrough = false;
        refusal ??= tooLarge(job, source);
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

function animated({ image, fileBytes }: Source, types: readonly ImageType[]): Plan {
  if (!types.includes(image.type)) {
    return refuseImage('Animations are kept as they are: use format=keep.');
  }
  const job = { engine: 'original', verify: false } as const;
  const peak = peakOf(job, image, fileBytes);
  if (!fitsAlone(peak, fileBytes)) return fileTooLarge();
  return { kind: 'animated', candidates: [{ type: image.type, job, peak }] };
}

function shrinks(image: Inspection, { width, height }: OptimizeOptions): boolean {
  const size = uprightSize(image);
  return (width !== null && width < size.width) || (height !== null && height < size.height);
}

function peakOf(job: Job, image: Inspection, fileBytes: number): Peak {
  switch (job.engine) {
    case 'raster':
      return rasterPeak(image, fileBytes, job);
    case 'oxipng':
      return oxipngPeak(image, fileBytes);
    case 'original':
      return originalPeak(image, fileBytes, job);
  }
}

/** Finds how many pixels of a picture shaped like this one the job could take. */
function tooLarge(job: Job, { image, fileBytes }: Source): Refusal {
  let [fits, exceeds] = [0, 1];
  for (let i = 0; i < 24; i += 1) {
    const middle = (fits + exceeds) / 2;
    if (fitsAlone(peakOf(job, scaled(image, middle), fileBytes), fileBytes)) fits = middle;
    else exceeds = middle;
  }
  const { width, height } = scaled(image, fits);
  return width * height > 1 ? refuseTooLarge(width * height) : fileTooLarge();
}

/** For a file that is too large whatever is in it: itself and a copy have to fit. */
function fileTooLarge(): Refusal {
  return { kind: 'refused', reason: 'file-too-large', limitBytes: buffersLimit / 2 };
}

function scaled(image: Inspection, factor: number): Inspection {
  // odd sides cost more in some formats, so they stay odd
  const side = (length: number) => 2 * Math.floor((length * factor) / 2) + (length & 1);
  return { ...image, width: side(image.width), height: side(image.height) };
}
