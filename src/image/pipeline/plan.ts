import { automaticTypes, type ImageType } from '../formats/facts.ts';
import type { Source } from '../formats/format.ts';
import { uprightSize } from '../formats/registry.ts';
import { resizeTarget } from '../pixels/resize-target.ts';
import { type Refusal, refuseImage } from '../refusal.ts';
import { candidatesFor, type PassthroughCandidate, type PlannedCandidate } from './candidates.ts';
import type { OptimizeOptions } from './options.ts';
import { fileTooLarge, fits, peakOf, tooLarge } from './predicted-memory.ts';

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
    let isVerified = true;
    for (const wanted of candidates) {
      // without the candidate that would have decoded the picture, the original has to be decoded itself
      const candidate =
        isVerified || wanted.kind !== 'passthrough' ? wanted : { ...wanted, verify: true };
      if (fits(candidate, source, options.metadata)) {
        planned.push({ ...candidate, peak: peakOf(candidate, source, options.metadata) });
      } else {
        isVerified = false;
        refusal ??= tooLarge(candidate, source, options);
      }
    }
  }
  // `auto` takes what can be had; a format asked for by name is had in full or not at all
  const settled = planned.length > 0 && (options.format === 'auto' || !refusal);
  if (settled) return { kind: 'planned', candidates: planned };
  return refusal ?? refuseImage('No format that was asked for can hold this picture.');
}

/** The picture's own type first. `auto` is bounded by what the caller can show. */
function typesToTry(own: ImageType, { format, accept }: OptimizeOptions): readonly ImageType[] {
  if (format === 'keep') return [own];
  if (format !== 'auto') return [format];
  const shown = [own, ...automaticTypes].filter((type) => accept.has(type));
  return shown.length > 0 ? [...new Set(shown)] : [own];
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
  if (!fits(candidate, source, options.metadata)) return fileTooLarge();
  const peak = peakOf(candidate, source, options.metadata);
  return { kind: 'animated', candidates: [{ ...candidate, peak }] };
}
