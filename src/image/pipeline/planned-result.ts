import { factsOf, type ImageType } from '../formats/facts.ts';
import type { Inspection, Source } from '../formats/inspection.ts';
import type { Refusal } from '../refusal.ts';
import type { Slices } from '../slices.ts';
import type { Peak } from '../wasm/memory-ledger.ts';
import type { ReleaseFile } from '../wasm/run-in-arena.ts';
import { execute } from './execute.ts';
import { explainRefusal, explainUnreadable } from './explain.ts';
import { interestIn, interestPreview } from './interest.ts';
import type { OptimizeOptions } from './options.ts';
import { placeholderOf, placeholderPreview } from './placeholder.ts';
import { type Plan, plan } from './plan.ts';
import { predictedCpu } from './predicted-cpu.ts';
import { peakFromReductions, predictedPeak, worstPeak } from './predicted-memory.ts';
import { preview } from './preview.ts';
import { effectiveSource, hasPackedProfile, readHeaders, withProfile } from './read-source.ts';
import type { ReducedPixels } from './reduced-pixels.ts';
import type { Result } from './result.ts';

/** An optimized image. */
export interface Optimized extends Omit<Result, 'kind'> {
  readonly mediaType: string;
  /** File name extension, without a dot. */
  readonly extension: string;
  /** Number of frames of the source; 1 for a still. The result may have fewer, since equal frames are merged. */
  readonly frames: number;
  /** Whether it is at least 1% smaller than the file. */
  readonly optimized: boolean;
  /**
   * Why it is not: nothing smaller was found, it is an animation of a kind that is not worked on, or the requested
   * format or size takes more bytes. Null if it is optimized.
   */
  readonly reason: 'already-optimal' | 'animated' | 'larger-format' | null;
  /** The ThumbHash of the result in base64; null if none was requested, or there are no pixels to make it of. */
  readonly placeholder: string | null;
}

/** A file, and what its headers and profile tell. */
export interface Picture {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly type: ImageType;
  /** All of it, animations with their frames. */
  readonly whole: Source<Inspection & { readonly type: ImageType }>;
}

/**
 * Reads the headers of a file.
 * @param options nothing is unpacked for a picture that its headers rule out for them
 * @throws ImageError if it is no image of a supported type, or too large
 */
export function readPicture(file: Uint8Array<ArrayBuffer>, options: OptimizeOptions): Picture {
  const headers = readHeaders(file);
  if (headers.kind !== 'source') throw explainUnreadable(headers);
  const { type } = headers.image;
  if (hasPackedProfile(headers)) refuseSize({ file, type, whole: headers }, options);
  const whole = withProfile(headers, file);
  if (whole.kind !== 'source') throw explainUnreadable(whole).about(type);
  return { file, type, whole };
}

/** @throws ImageError if a picture is too large, whatever its profile */
function refuseSize({ file, type, whole }: Picture, options: OptimizeOptions): void {
  const source = effectiveSource(whole, file, options);
  const planned = plan(source, options);
  if (planned.kind !== 'refused') return;
  switch (planned.reason) {
    case 'too-large':
    case 'animation-too-large':
    case 'file-too-large':
      throw explainRefusal(planned, source, options).about(type);
  }
}

/** One result of a picture, and what it is predicted to take. */
export interface PlannedResult {
  readonly source: Source;
  readonly plan: Exclude<Plan, Refusal>;
  /** CPU time in milliseconds. */
  readonly cpuMs: number;
  /** Peak memory, in addition to the file and `profileBytes`. */
  readonly peak: Peak;
  /** See `Work.totalPeak`. */
  totalPeak(fileBytes: number): number;
  /**
   * Makes it.
   * @param reduced held reductions of the picture, which give the same result in less time
   * @throws ImageError if nothing comes of it
   */
  make(releaseFile: ReleaseFile, reduced?: ReducedPixels | null): Slices<Optimized>;
}

/**
 * Plans the work on a picture. Nothing is decoded.
 * @throws ImageError with the type of the file if it cannot be done
 */
export function plannedResult(picture: Picture, options: OptimizeOptions): PlannedResult {
  const { file, type, whole } = picture;
  const source = effectiveSource(whole, file, options);
  const explained = (refusal: Refusal) => explainRefusal(refusal, source, options).about(type);
  const found = plan(source, options);
  if (found.kind === 'refused') throw explained(found);
  const { candidates } = found;
  const interest = interestPreview(source, file, options);
  const small = placeholderPreview(source, file, options);
  const previews = [interest, small].filter((one) => one !== null);
  const worst = worstPeak([...candidates, ...previews]);
  const { metadata: level, maxBytes, quality } = options;
  const settings = { level, maxBytes, isOpen: quality === 'auto' };
  return {
    source,
    plan: found,
    cpuMs: predictedCpu([...candidates, ...previews]),
    peak: { ...worst, buffers: Math.max(0, worst.buffers - profileBytes(source)) },
    totalPeak: (fileBytes) =>
      Math.max(...[candidates, previews].map((steps) => predictedPeak(steps, fileBytes))),
    *make(releaseFile, reduced = null) {
      const position = interest && (yield* interestIn(file, interest, options));
      const settled = position ? { ...options, position } : options;
      const planned = position ? plan(source, settled) : found;
      if (planned.kind === 'refused') throw explained(planned);
      // The work may free the file.
      const shown = position ? placeholderPreview(source, file, settled) : small;
      const pixels = shown && (yield* preview(file, shown));
      const held = reduced ? fromReductions(planned, source, level) : planned;
      const result = yield* execute(file, source, held, { ...settings, reduced, releaseFile });
      if (result.kind === 'refused') throw explained(result);
      const placeholder = pixels && (yield* placeholderOf(pixels, source, settled, result));
      return { ...optimizedOf(result, whole, planned), placeholder };
    },
  };
}

/** The same plan with the memory that it takes beside held reductions. */
function fromReductions(
  planned: Exclude<Plan, Refusal>,
  source: Source,
  level: OptimizeOptions['metadata'],
): Exclude<Plan, Refusal> {
  if (planned.kind === 'animated') return planned;
  const candidates = planned.candidates.map((candidate) => ({
    ...candidate,
    peak: peakFromReductions(candidate, source, level),
  }));
  return { kind: 'planned', candidates };
}

/** Bytes of the profile, which is held in addition to the file. */
export function profileBytes({ icc, color }: Source): number {
  return (icc?.length ?? 0) + (color.profile?.length ?? 0);
}

/** Whether a result is at least 1% smaller than its source. */
export function isOptimized(bytesIn: number, bytesOut: number): boolean {
  return bytesOut <= bytesIn * 0.99;
}

function optimizedOf(
  { kind: _, ...made }: Result,
  { image, fileBytes }: Source,
  planned: Exclude<Plan, Refusal>,
): Omit<Optimized, 'placeholder'> {
  const { mediaType, extensions } = factsOf(made.type);
  const [extension] = extensions;
  const optimized = isOptimized(fileBytes, made.bytes.length);
  return {
    ...made,
    ...{ mediaType, extension },
    frames: image.frameTotals?.frames ?? image.frames,
    optimized,
    reason: optimized ? null : reasonFor(made.bytes.length, fileBytes, planned),
  };
}

function reasonFor(
  bytesOut: number,
  bytesIn: number,
  { kind, candidates }: Exclude<Plan, Refusal>,
): Optimized['reason'] {
  const isUntried =
    kind === 'animated' && candidates.every((candidate) => candidate.kind === 'passthrough');
  if (isUntried) return 'animated';
  return bytesOut > bytesIn ? 'larger-format' : 'already-optimal';
}
