import type { AnimationWriter } from '../../formats/format.ts';
import { outputFormat } from '../../formats/registry.ts';
import type { Peak } from '../../wasm/memory-ledger.ts';
import type { EncodeCandidate, PassthroughCandidate } from '../candidates.ts';

/** An animation whose pictures are decoded, and coded as frames. */
export interface AnimateCandidate extends Omit<EncodeCandidate, 'kind'> {
  readonly kind: 'animate';
  /** Nothing but the first picture. */
  readonly isFirstOnly: boolean;
}

/** What can be made to answer a request for an animation, and what it takes. */
export type PlannedAnimation = (AnimateCandidate | PassthroughCandidate) & {
  /** Memory beside the file. */
  readonly peak: Peak;
  /** Computing time in milliseconds. */
  readonly cpuMs: number;
};

/** The ability to write animations of a candidate's format. */
export function animationWriterOf({ type }: AnimateCandidate): AnimationWriter {
  const { animation } = outputFormat(type).write;
  if (!animation) throw new TypeError(`animations are not written as ${type}`);
  return animation;
}
