import { ApiError } from '../../errors.ts';
import { inputFacts, namesOf } from '../../image/formats/facts.ts';
import type { Source } from '../../image/formats/inspection.ts';
import { uprightSize } from '../../image/formats/registry.ts';
import { execute } from '../../image/pipeline/execute.ts';
import type { OptimizeOptions } from '../../image/pipeline/options.ts';
import { type Plan, plan } from '../../image/pipeline/plan.ts';
import { predictedCpu } from '../../image/pipeline/predicted-cpu.ts';
import { predictedPeak, worstPeak } from '../../image/pipeline/predicted-memory.ts';
import {
  effectiveSource,
  hasPackedProfile,
  readHeaders,
  withProfile,
} from '../../image/pipeline/read-source.ts';
import type { Result } from '../../image/pipeline/result.ts';
import { resizeTarget } from '../../image/pixels/resize-target.ts';
import type { Refusal } from '../../image/refusal.ts';
import { fitsAlone, type Peak, smallBytes } from '../../image/wasm/memory-ledger.ts';
import type { RequestNotes } from '../http/context.ts';
import { overloaded } from '../http/rate-limit.ts';
import { bodyTooLarge } from './held-body.ts';
import type { Upload } from './upload.ts';

export type Outcome =
  | {
      readonly kind: 'picture';
      readonly source: Source;
      readonly result: Result;
      /** Number of frames of the source. */
      readonly frames: number;
      /** Whether the source is an animation that was passed through unprocessed. */
      readonly isUntried: boolean;
    }
  | Refused;

export interface Refused {
  readonly kind: 'refused';
  readonly error: ApiError;
  /** Whether it has taken CPU time that counts: the image was decoded, or a large file was read for its headers. */
  readonly isSpent: boolean;
}

/** A refusal before any work, with the CPU time in milliseconds that it has taken all the same. */
export type RefusedEarly = Refused & { readonly cpuMs: number };

/** Planned work that waits for its turn. */
export interface Work {
  readonly kind: 'work';
  readonly source: Source;
  /** Number of frames of the source. */
  readonly frames: number;
  readonly plan: Exclude<Plan, Refusal>;
  /** Predicted CPU time in milliseconds. */
  readonly cpuMs: number;
  /** Peak memory of the work, in addition to the file. */
  readonly peak: Peak;
}

/**
 * Reads the headers of an upload and plans the work on it.
 * @param note receives facts about the request for its log record
 */
export function prepare(
  { held, options }: Upload,
  note: (notes: RequestNotes) => void,
): Work | RefusedEarly {
  note({ bytes_in: held.length });
  const refusedEarly = (error: ApiError): RefusedEarly => ({
    kind: 'refused',
    error,
    isSpent: held.length > smallBytes,
    cpuMs: earlyRefusalMs,
  });
  const headers = readHeaders(held.bytes);
  if (headers.kind !== 'source') return refusedEarly(unreadable(headers));
  const { frames, frameTotals } = headers.image;
  note({ input_type: headers.image.type });
  // Nothing is unpacked for a picture that its headers rule out.
  const tooLarge = hasPackedProfile(headers) && sizeRefusal(held.bytes, headers, options);
  if (tooLarge) return refusedEarly(tooLarge);
  const read = withProfile(headers, held.bytes);
  if (read.kind !== 'source') return refusedEarly(unreadable(read));
  const source = effectiveSource(read, held.bytes, options);
  const planned = plan(source, options);
  if (planned.kind === 'refused') return refusedEarly(refused(planned, source, options));
  const { candidates } = planned;
  const cpuMs = predictedCpu(candidates);
  note({
    predicted_peak: predictedPeak(candidates, held.blockBytes),
    predicted_cpu: Math.round(cpuMs),
  });
  const worst = worstPeak(candidates);
  // The plan knows only the size of the file, not that of the block.
  if (!fitsAlone(worst, held.blockBytes)) held.trim();
  // From now on these bytes are held, and no longer only planned.
  const profileBytes = profileBytesOf(source);
  held.keepBeside(profileBytes);
  const peak = { ...worst, buffers: Math.max(0, worst.buffers - profileBytes) };
  return {
    kind: 'work',
    source,
    frames: frameTotals?.frames ?? frames,
    plan: planned,
    cpuMs,
    peak,
  };
}

/** Why a picture is too large, whatever its profile; undefined if it is not. */
function sizeRefusal(
  file: Uint8Array,
  headers: Source,
  options: OptimizeOptions,
): ApiError | undefined {
  const source = effectiveSource(headers, file, options);
  const planned = plan(source, options);
  if (planned.kind !== 'refused') return undefined;
  switch (planned.reason) {
    case 'too-large':
    case 'animation-too-large':
    case 'file-too-large':
      return refused(planned, source, options);
    default:
      return undefined;
  }
}

/** Bytes of the profile, which is kept in addition to the file. */
function profileBytesOf({ icc, color }: Source): number {
  return (icc?.length ?? 0) + (color.profile?.length ?? 0);
}

/**
 * Does the work in one synchronous run, and releases the memory of the upload.
 * @param note receives facts about the request for its log record
 */
export function shrink(
  { source, frames, plan: planned }: Work,
  { held, options }: Upload,
  note: (notes: RequestNotes) => void,
): Outcome {
  try {
    const result = execute(held.bytes, source, planned, {
      level: options.metadata,
      maxBytes: options.maxBytes,
      isOpen: options.quality === 'auto',
      releaseFile: () => held.handOver(),
    });
    if (result.kind === 'refused') {
      const error = refused(result, source, options);
      return { kind: 'refused', error, isSpent: result.reason !== 'overloaded' };
    }
    const { type, bytes, engine } = result;
    note({ output_type: type, bytes_out: bytes.length, engine });
    const isUntried =
      planned.kind === 'animated' &&
      planned.candidates.every((candidate) => candidate.kind === 'passthrough');
    return { kind: 'picture', source, result, frames, isUntried };
  } finally {
    held.end();
  }
}

/**
 * CPU time of a refusal before any work, in milliseconds: of reading as many headers as are read at all, of planning,
 * and of advising on what would fit.
 */
const earlyRefusalMs = 20;

type NoSource = Exclude<ReturnType<typeof readHeaders>, { kind: 'source' }>;

const supported = inputFacts.map(({ mediaType }) => mediaType);

/** The error for a file that cannot be read. */
export function unreadable(result: NoSource): ApiError {
  switch (result.kind) {
    case 'unsupported': {
      const what = result.what === 'unknown' ? 'This' : result.what;
      return new ApiError(
        'unsupported_media_type',
        `${what} is not an image of a supported type: send ${namesOf(inputFacts, 'or')}.`,
        { members: { supported } },
      );
    }
    case 'unsupported-feature':
    case 'broken':
      return new ApiError('invalid_image', result.detail);
  }
}

/** The error for an image that is refused. */
export function refused(refusal: Refusal, source: Source, options: OptimizeOptions): ApiError {
  switch (refusal.reason) {
    case 'options':
      return new ApiError('invalid_options', refusal.detail);
    case 'image':
      return new ApiError('invalid_image', refusal.detail);
    case 'too-large':
      return tooLarge(source, options, refusal.limitPixels);
    case 'animation-too-large': {
      const { frames, limitFrames, limitPixels } = refusal;
      // Only the first frame was requested.
      if (frames === 1) return tooLarge(source, options, limitPixels);
      const { width, height } = uprightSize(source.image);
      const members = { frames, limit_frames: limitFrames, limit_pixels: limitPixels };
      const fitting = limitFrames > 0 ? `up to ${limitFrames} of that size fit` : 'not one fits';
      return new ApiError(
        'image_too_large',
        `This animation has ${frames} frames of ${width} × ${height} pixels; ${fitting}: send a shorter or smaller one, or ask for animation=first.`,
        { members: { width, height, ...members } },
      );
    }
    case 'file-too-large':
      return bodyTooLarge(refusal.limitBytes);
    case 'max-bytes':
      return maxBytesUnreachable(refusal.smallestBytes);
    case 'overloaded':
      return overloaded();
  }
}

function tooLarge(source: Source, options: OptimizeOptions, limitPixels: number): ApiError {
  const { width, height } = uprightSize(source.image);
  return new ApiError('image_too_large', sizeAdvice(source, options, limitPixels), {
    members: { width, height, limit_pixels: limitPixels },
  });
}

function maxBytesUnreachable(smallestBytes: number): ApiError {
  const advice = 'request a smaller width, another format or a larger max_bytes';
  return new ApiError(
    'max_bytes_unreachable',
    `This image takes at least ${smallestBytes} bytes with these options: ${advice}.`,
    { members: { smallest_bytes: smallestBytes } },
  );
}

/** A width that is small for any purpose; an image that does not fit even at this width is itself too large. */
const smallWidth = 800;

/** One sentence about an image that is too large: by how much, and what the client can do. */
export function sizeAdvice(source: Source, options: OptimizeOptions, limitPixels: number): string {
  const { width, height } = uprightSize(source.image);
  const size = megapixels(width * height, Math.ceil);
  const maximum = megapixels(limitPixels, Math.floor);
  const suggestions = alternatives(source, options);
  return suggestions.length > 0
    ? `This image has ${size} megapixels; with these options up to ${maximum} fit: ${suggestions.join(', or ')}.`
    : `This image has ${size} megapixels; up to ${maximum} of its kind fit: send a smaller one.`;
}

/** Changes to the options with which this image would fit. */
function alternatives(source: Source, options: OptimizeOptions): readonly string[] {
  const fits = (other: Partial<OptimizeOptions>) =>
    plan(source, { ...options, ...other }).kind !== 'refused';
  const { image } = source;
  const target = resizeTarget(uprightSize(image), options);
  const found: string[] = [];

  const isConverted = options.format !== 'keep' && options.format !== image.type;
  const wholeSize = { width: null, height: null };
  if (isConverted && fits({ format: 'keep' })) found.push('keep its format');
  else if (target && fits({ ...wholeSize, format: 'keep' })) {
    found.push(isConverted ? 'keep its format and size' : 'keep its size');
  }

  const targetWidth = target?.width ?? uprightSize(image).width;
  if (targetWidth > smallWidth && fits({ width: smallWidth, height: null, fit: 'inside' })) {
    found.push('request a smaller width');
  }
  return found;
}

/** Size and limit are rounded in opposite directions, so that an image just above the limit is visibly above it. */
function megapixels(pixels: number, round: (value: number) => number): string {
  const tenths = round(pixels / 1e5);
  return tenths === 0 ? 'less than 0.1' : (tenths / 10).toFixed(1);
}
