import { outputFacts } from '../formats/facts.ts';
import type { Inspection, Source } from '../formats/inspection.ts';
import { type Refusal, refuseImage, refuseOptions } from '../refusal.ts';
import type { PlannedAnimation } from './animation/candidates.ts';
import { planAnimation } from './animation/plan-animation.ts';
import {
  candidatesFor,
  isKeptAsIs,
  isTakenWhole,
  type PlannedCandidate,
  typesToTry,
} from './candidates.ts';
import { fitted, fittedOriginal, tooLarge } from './fitting.ts';
import { matteFor } from './obstacles.ts';
import type { OptimizeOptions } from './options.ts';

export type Plan =
  /** The smallest result of the candidates wins. */
  | { readonly kind: 'planned'; readonly candidates: readonly PlannedCandidate[] }
  /** The picture is an animation, and stays one. */
  | { readonly kind: 'animated'; readonly candidates: readonly PlannedAnimation[] }
  | Refusal;

/**
 * Decides what to try for a picture, before any pixel is decoded. A pure function: the same source and options give the
 * same plan in every isolate.
 */
export function plan(source: Source, options: OptimizeOptions): Plan {
  const found = planOnce(source, options);
  if (found.kind !== 'refused' || options.fit !== 'contain') return found;
  const isTooLarge = found.reason === 'too-large' || found.reason === 'file-too-large';
  // Of several formats, the last one may have been left out for its longest side.
  const isOfMargins = isTooLarge || options.format === 'auto';
  if (!isOfMargins || planOnce(source, { ...options, fit: 'inside' }).kind === 'refused')
    return found;
  return refuseOptions('Margins take more memory than there is for them: ask for a smaller box.');
}

function planOnce(source: Source, options: OptimizeOptions): Plan {
  const { image } = source;
  const types = typesToTry(image, options);
  if (image.frames > 1 || isDrawnAsAnimation(source, options)) {
    const candidates = planAnimation(source, options);
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
    if (!beyond) continue;
    const original = isKeptAsIs(type, image, options)
      ? fittedOriginal(source, options.metadata, planned)
      : null;
    if (!original) refusal ??= tooLarge(beyond, source, options);
    else if (!made.some(({ kind }) => kind === 'passthrough')) planned.push(original);
  }
  // `auto` takes whatever is possible; a format requested by name has to be possible with all options.
  const settled = planned.length > 0 && (options.format === 'auto' || !refusal);
  if (settled) return { kind: 'planned', candidates: planned };
  return refusal ?? refuseImage('No format that was asked for can hold this picture.');
}

/**
 * Whether a still has to be written as an animation of one picture: its format is written only as an animation, and its
 * coded data cannot stay.
 */
function isDrawnAsAnimation({ image }: Source, options: OptimizeOptions): boolean {
  const own = outputFacts.find(({ type }) => type === image.type);
  if (!own || own.output.holdsStills || !isKeptFormat(image, options)) return false;
  return !isTakenWhole(image, options) || matteFor(own.type, image, options) !== null;
}

/** Whether a picture has to keep its format. */
function isKeptFormat({ type }: Inspection, { format, among }: OptimizeOptions): boolean {
  if (format !== 'auto') return format === 'keep' || format === type;
  return among !== null && [...among].every((other) => other === type);
}
