import { formatFacts, type OutputType, outputTypes } from '../../../image/formats/facts.ts';
import type { FormatFacts } from '../../../image/formats/format-facts.ts';
import { countText } from '../../text/formatting.ts';

/** An optimized image with the facts in the response. */
export interface Result {
  readonly blob: Blob;
  readonly fileName: string;
  /** Media type, such as `image/webp`. */
  readonly type: string;
  readonly width: number;
  readonly height: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** A number, `lossless` or `original`. */
  readonly quality: string;
  /** SSIMULACRA2 as text, such as `77.4`; null if it was not measured. */
  readonly score: string | null;
  /** The format that would take fewer bytes at the same score, such as `jpeg`; null if none would. */
  readonly smallerAs: OutputType | null;
  /** What happened to the gain map for HDR screens: `gain-map` (kept) or `dropped`; null if there was none. */
  readonly hdr: string | null;
  /** Number of frames of the original; null if it is not an animation. */
  readonly frames: number | null;
  readonly isSmaller: boolean;
  /** Why nothing was saved; null if something was saved. */
  readonly reason: string | null;
  /** Free and paid files left after this image. */
  readonly quotaRemaining: number | null;
  /** Trials left today; null if the user has an account. */
  readonly trialRemaining: number | null;
}

/** Reads the response for a file. */
export function resultOf(
  blob: Blob,
  header: (name: string) => string | null,
  originalName: string,
  originalBytes: number,
): Result {
  const type = header('Content-Type')?.split(';')[0] ?? blob.type;
  const count = (name: string) => {
    const text = header(name);
    return text === null ? null : Number(text);
  };
  return {
    blob,
    fileName: resultName(originalName, type),
    type,
    width: Number(header('Image-Width')),
    height: Number(header('Image-Height')),
    bytesBefore: Number(header('Image-Input-Bytes') ?? originalBytes),
    bytesAfter: Number(header('Image-Output-Bytes') ?? blob.size),
    quality: header('Image-Quality') ?? '',
    score: header('Image-Score'),
    smallerAs: outputTypes.find((output) => output === header('Image-Smaller-As')) ?? null,
    hdr: header('Image-HDR'),
    frames: count('Image-Frames'),
    isSmaller: header('Image-Optimized') === 'true',
    reason: header('Image-Reason'),
    quotaRemaining: count('Quota-Remaining'),
    trialRemaining: count('Trial-Remaining'),
  };
}

/**
 * The original's name with an extension that fits the media type. The service cannot name the result, because it only
 * receives the bytes.
 */
export function resultName(originalName: string, type: string): string {
  const fitting: readonly string[] = factsOf(type)?.extensions ?? [];
  const dot = originalName.lastIndexOf('.');
  const stem = dot > 0 ? originalName.slice(0, dot) : originalName || 'image';
  const extension = dot > 0 ? originalName.slice(dot + 1) : '';
  if (fitting.includes(extension.toLowerCase()) || fitting[0] === undefined) {
    return originalName || 'image';
  }
  return `${stem}.${fitting[0]}`;
}

/** The name of a media type, such as `WebP`; unknown types are returned as they are. */
export function typeText(type: string): string {
  return factsOf(type)?.name ?? type;
}

function factsOf(mediaType: string): FormatFacts | undefined {
  return formatFacts.find((facts) => facts.mediaType === mediaType);
}

/** The quality of the result in words. */
export function qualityText(quality: string): string {
  if (quality === 'lossless') return 'lossless';
  if (quality === 'original') return 'pixels unchanged';
  return `quality ${quality}`;
}

/** What happened to HDR, in words; null if there was none. */
export function hdrText(hdr: string | null): string | null {
  switch (hdr) {
    case 'gain-map':
      return 'HDR kept';
    case 'dropped':
      return 'HDR removed';
    default:
      return null;
  }
}

/** The original's number of frames in words; null if it is not an animation. */
export function framesText(frames: number | null): string | null {
  return frames === null ? null : `original with ${countText(frames)} frames`;
}

/** Why nothing was saved, in words for the user. */
export function reasonText({
  isSmaller,
  reason,
  trialRemaining,
}: Pick<Result, 'isSmaller' | 'reason' | 'trialRemaining'>): string | null {
  if (isSmaller) return null;
  const why = whyText(reason);
  // Trials are counted regardless of the outcome.
  return trialRemaining === null ? `${why} Nothing was charged.` : why;
}

function whyText(reason: string | null): string {
  switch (reason) {
    case 'already-optimal':
      return 'This image is already about as small as it gets.';
    case 'animated':
      return 'Animations of this kind are returned unchanged.';
    case 'larger-format':
      return 'The format or size you chose makes this image larger.';
    default:
      return 'This image didn’t get smaller.';
  }
}
