import type { AnimationWriter } from '../../formats/animation-format.ts';
import { outputFormat } from '../../formats/registry.ts';
import type { Peak } from '../../wasm/memory-ledger.ts';
import type { EncodeCandidate, PassthroughCandidate } from '../candidates.ts';

/** An animation whose pictures are decoded, and coded as frames. */
export interface AnimateCandidate extends Omit<EncodeCandidate, 'kind'> {
  readonly kind: 'animate';
  /** Nothing but the first picture. */
  readonly isFirstOnly: boolean;
}

/** An animation that is made anew, and what that takes. */
export type PlannedAnimate = AnimateCandidate & {
  /** Memory beside the file. */
  readonly peak: Peak;
  /** How that is shared out. */
  readonly share: MemoryShare;
  /** Computing time in milliseconds. */
  readonly cpuMs: number;
};

/** What can be made to answer a request for an animation, and what it takes. */
export type PlannedAnimation =
  | PlannedAnimate
  | (PassthroughCandidate & Pick<PlannedAnimate, 'peak' | 'cpuMs'>);

/** How the memory of an animation is shared out, in bytes. */
export interface MemoryShare {
  /** The arena that kernels run in; what is behind it holds canvases and the result. */
  readonly runBytes: number;
  /** Buffers for those where that is full. */
  readonly bufferBytes: number;
  /** What is held in buffers beside these. */
  readonly besideBytes: number;
}

/** The ability to write animations of a candidate's format. */
export function animationWriterOf({ type }: AnimateCandidate): AnimationWriter {
  const { animation } = outputFormat(type).write;
  if (!animation) throw new TypeError(`animations are not written as ${type}`);
  return animation;
}

/** Whether a candidate keeps the format, the size and all frames of its source, so that the original is there to fall back on. */
export function keepsOriginal(
  { type, pixels, isFirstOnly }: AnimateCandidate,
  image: { readonly type: string },
): boolean {
  return type === image.type && pixels.target === null && !isFirstOnly;
}
