import { outputFacts } from '../formats/facts.ts';
import type { Inspection, Source } from '../formats/inspection.ts';
import { type Refusal, refuseImage } from '../refusal.ts';
import type { PlannedAnimation } from './animation/candidates.ts';
import { plannedAnimation } from './animation/plan-animation.ts';
import { candidatesFor, isTakenWhole, type PlannedCandidate, typesToTry } from './candidates.ts';
import { fitted, tooLarge } from './fitting.ts';
import { groundFor } from './obstacles.ts';
import type { OptimizeOptions } from './options.ts';

export type Plan =
  /** The smallest result among the candidates is the answer. */
  | { readonly kind: 'planned'; readonly candidates: readonly PlannedCandidate[] }
  /** That of an animation, which stays one. */
  | { readonly kind: 'animated'; readonly candidates: readonly PlannedAnimation[] }
  | Refusal;

/**
 * Decides what to try for a picture before a pixel of it is decoded. Pure: the
 * same source and options give the same plan in every isolate.
 */
export function plan(source: Source, options: OptimizeOptions): Plan {
  const { image } = source;
  const types = typesToTry(image, options);
  if (image.frames > 1 || isDrawnAsAnimation(source, options)) {
    const candidates = plannedAnimation(source, options);
    return 'reason' in candidates ? candidates : { kind: 'animated', candidates };
  }

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

/** A still in a format that only animations are written in: what is not coded as it was is an animation of one picture. */
function isDrawnAsAnimation({ image }: Source, options: OptimizeOptions): boolean {
  const own = outputFacts.find(({ type }) => type === image.type);
  if (!own || own.output.holdsStills || !isKeptFormat(image, options)) return false;
  return !isTakenWhole(image, options) || groundFor(own.type, image, options) !== null;
}

/** Whether a picture can stay in its format, and become nothing else. */
function isKeptFormat({ type }: Inspection, { format, among }: OptimizeOptions): boolean {
  if (format !== 'auto') return format === 'keep' || format === type;
  return among !== null && [...among].every((other) => other === type);
}
