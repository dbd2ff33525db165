import type { ImageType } from '../formats/facts.ts';
import type { Source } from '../formats/format.ts';
import { uprightSize } from '../formats/registry.ts';
import { resizeTarget } from '../pixels/resize-target.ts';
import { type Refusal, refuseImage } from '../refusal.ts';
import {
  candidatesFor,
  type PassthroughCandidate,
  type PlannedCandidate,
  typesToTry,
} from './candidates.ts';
import { fileTooLarge, fitted, tooLarge } from './fitting.ts';
import type { OptimizeOptions } from './options.ts';

export type Plan =
  /** The smallest result among the candidates is the answer. */
  | { readonly kind: 'planned'; readonly candidates: readonly PlannedCandidate[] }
  /** The original is the answer: an animation is never flattened. */
  | { readonly kind: 'animated'; readonly candidates: readonly PlannedCandidate[] }
  | Refusal;

/**
 * Decides what to try for a picture before a pixel of it is decoded. Pure: the
 * same source and options give the same plan in every isolate.
 */
export function plan(source: Source, options: OptimizeOptions): Plan {
  const { image } = source;
  const own = image.type as ImageType;
  const types = typesToTry(own, options);
  if (image.frames > 1) return animated(source, own, types, options);

  const planned: PlannedCandidate[] = [];
  let refusal: Refusal | undefined;
  for (const type of types) {
    const candidates = candidatesFor(type, source, options);
    if ('kind' in candidates) {
      refusal = candidates;
      continue;
    }
    const { planned: made, tooLarge: others } = fitted(
      candidates,
      source,
      options.metadata,
      planned,
    );
    planned.push(...made);
    const [beyond] = others;
    if (beyond) refusal ??= tooLarge(beyond, source, options);
  }
  // `auto` takes what can be had; a format asked for by name is had in full or not at all
  const settled = planned.length > 0 && (options.format === 'auto' || !refusal);
  if (settled) return { kind: 'planned', candidates: planned };
  return refusal ?? refuseImage('No format that was asked for can hold this picture.');
}

function animated(
  source: Source,
  own: ImageType,
  types: readonly ImageType[],
  options: OptimizeOptions,
): Plan {
  if (!types.includes(own)) {
    return refuseImage('Animations are not changed to another format: use format=keep.');
  }
  if (resizeTarget(uprightSize(source.image), options)) {
    return refuseImage('Animations are not resized: leave width and height away.');
  }
  const candidate: PassthroughCandidate = {
    kind: 'passthrough',
    type: own,
    verify: false,
    advantage: 1,
  };
  const { planned, tooLarge: beyond } = fitted([candidate], source, options.metadata);
  return beyond.length > 0 ? fileTooLarge() : { kind: 'animated', candidates: planned };
}
