import type { Optimized } from 'fewerbytes/pool';
import { formatFacts, type OutputType } from '../../../image/formats/facts.ts';
import type { FormatFacts } from '../../../image/formats/format-facts.ts';
import { countText } from '../../text/formatting.ts';

/** An optimized image, and what is known about it. */
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
  /** Why the API would not make it; null if it makes the same bytes. */
  readonly apiRefusal: string | null;
}

export function resultFrom(
  { bytes, mediaType, quality, score, frames, optimized, ...made }: Optimized,
  file: File,
  apiRefusal: string | null,
): Result {
  const { width, height, smallerAs, hdr, reason } = made;
  return {
    blob: new Blob([bytes], { type: mediaType }),
    fileName: resultName(file.name, mediaType),
    type: mediaType,
    width,
    height,
    bytesBefore: file.size,
    bytesAfter: bytes.length,
    quality: String(quality),
    score: score === null ? null : scoreText(score),
    smallerAs,
    hdr,
    frames: frames > 1 ? frames : null,
    isSmaller: optimized,
    reason,
    apiRefusal,
  };
}

/** The score with one decimal, as in the literature; `100` for lossless results. */
function scoreText(score: number): string {
  return score === 100 ? '100' : score.toFixed(1);
}

/** The original's name with an extension that fits the media type. */
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

/** What became of an animation's frames, in words; null for a still. */
export function framesText(frames: number | null, query: string | null): string | null {
  if (frames === null) return null;
  const isFirst = new URLSearchParams(query ?? '').get('animation') === 'first';
  return isFirst
    ? `first of ${countText(frames)} frames`
    : `animation, ${countText(frames)} frames`;
}

/** Why nothing was saved, in words for the user; null if something was. */
export function reasonText({ isSmaller, reason }: Pick<Result, 'isSmaller' | 'reason'>) {
  if (isSmaller) return null;
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
