import type { AnimationWriter } from '../../formats/animation-format.ts';
import { outputFormat } from '../../formats/registry.ts';
import type { Peak } from '../../wasm/memory-ledger.ts';
import type { EncodeCandidate, PassthroughCandidate } from '../candidates.ts';

/** An animation whose pictures are decoded and encoded as frames. */
export interface AnimateCandidate extends Omit<EncodeCandidate, 'kind'> {
  readonly kind: 'animate';
  /** Whether only the first picture is used. */
  readonly isFirstOnly: boolean;
}

/** An animation to be encoded, and its predicted cost. */
export type PlannedAnimate = AnimateCandidate & {
  /** Peak memory, not counting the file. */
  readonly peak: Peak;
  /** How that memory is divided. */
  readonly share: MemoryShare;
  /** CPU time in milliseconds. */
  readonly cpuMs: number;
};

/** A candidate for the result of an animation, and its predicted cost. */
export type PlannedAnimation =
  | PlannedAnimate
  | (PassthroughCandidate & Pick<PlannedAnimate, 'peak' | 'cpuMs'>);

/** How the memory of an animation is divided, in bytes. */
export interface MemoryShare {
  /** The part of the arena that kernels run in; the rest holds canvases and the result. */
  readonly runBytes: number;
  /** Buffers for canvases and the result when the arena is full. */
  readonly bufferBytes: number;
  /** Other buffers that are held meanwhile. */
  readonly besideBytes: number;
}

/** The animation writer of a candidate's format. */
export function animationWriterOf({ type }: AnimateCandidate): AnimationWriter {
  const { animation } = outputFormat(type).write;
  if (!animation) throw new TypeError(`animations are not written as ${type}`);
  return animation;
}

/** Whether a candidate keeps format, size and all frames of its source, so that the original is a valid fallback. */
export function keepsOriginal(
  { type, pixels, isFirstOnly }: AnimateCandidate,
  image: { readonly type: string },
): boolean {
  return type === image.type && pixels.target === null && !isFirstOnly;
}
