import type { Source } from '../../formats/inspection.ts';
import { fitsAlone, type Peak } from '../../wasm/memory-ledger.ts';
import type { EncodeCandidate } from '../candidates.ts';
import { encodedShape, encodersFor } from '../conversion.ts';
import { decodingFor, type Reduction, reducingCpu, reductionIn } from '../pixel-stages.ts';
import { type PlannedResult, profileBytes } from '../planned-result.ts';
import { cpuFromReductions } from '../predicted-cpu.ts';
import { peakFromReductions, worstPeak } from '../predicted-memory.ts';
import { keyOf, type Reductions, reducedBytes, reducingPeak } from '../reduced-pixels.ts';
import type { SetItem } from './set-options.ts';

// Which results of a set are made together: those whose pixels one reading of the file gives, as far as there is memory
// to hold them.

/** A result of a set, and the work on it. */
export interface PlannedItem {
  readonly item: SetItem;
  readonly planned: PlannedResult;
}

/** Results that are made one after the other, of one reading of the file if they share reductions. */
export interface SharedPass {
  readonly items: readonly [PlannedItem, ...PlannedItem[]];
  /** CPU time in milliseconds. */
  readonly cpuMs: number;
  /** Peak memory in addition to the file and its profile. */
  readonly peak: Peak;
  /** The reductions to hold for these results, whose positions may have been settled since; null for none. */
  reductionsOf(items: readonly PlannedItem[]): Reductions | null;
}

/**
 * Predicted CPU time in milliseconds beyond which results are not made in one pass, because others wait for their turn until
 * its end. A single result may take longer, as one that is asked for alone.
 */
const maxPassMs = 5000;

/** Distributes results to passes: those of the same kind of reading follow each other, as many as memory and time allow. */
export function plannedPasses(items: readonly PlannedItem[]): readonly SharedPass[] {
  const passes: SharedPass[] = [];
  for (const group of groupsOf(items)) {
    let last: SharedPass | undefined;
    for (const one of group) {
      const joint: SharedPass | null = last ? passOf([...last.items, one]) : null;
      if (joint) passes.pop();
      const pass = joint ?? passOf([one]) ?? alone(one);
      passes.push(pass);
      last = pass;
    }
  }
  return passes;
}

/** Results by the reading that their reductions are made of; those without any stand alone. */
function groupsOf(items: readonly PlannedItem[]): readonly (readonly PlannedItem[])[] {
  const groups = new Map<unknown, PlannedItem[]>();
  for (const one of items) {
    const [reduction] = reductionsIn(one);
    const key = reduction ? readingOf(one.planned.source, reduction) : one;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

/** A text that is the same for reductions that can be made of the same rows. */
function readingOf(source: Source, reduction: Reduction): string {
  return `${decodingFor(source, reduction).halvings} ${reduction.toSrgb}`;
}

function reductionsIn({ planned: { plan } }: PlannedItem): readonly Reduction[] {
  if (plan.kind === 'animated') return [];
  return plan.candidates
    .filter((candidate) => candidate.kind === 'encode')
    .map(({ pixels }) => reductionIn(pixels))
    .filter((reduction) => reduction !== null);
}

/** The different reductions of one reading; null if there are none. */
function sharedReductions(items: readonly PlannedItem[]): Reductions | null {
  const all = items.flatMap((one) =>
    reductionsIn(one).map((reduction) => ({ reduction, source: one.planned.source })),
  );
  const [first] = all;
  if (!first) return null;
  const reading = readingOf(first.source, first.reduction);
  const alike = all.filter(({ source, reduction }) => readingOf(source, reduction) === reading);
  const byKey = new Map(alike.map(({ reduction }) => [keyOf(reduction), reduction]));
  const [one, ...others] = byKey.values();
  return one ? [one, ...others] : null;
}

/** The pass that makes these results of shared reductions; null if there are none, or no memory for them. */
function passOf(items: readonly PlannedItem[]): SharedPass | null {
  const [first, ...others] = items;
  const reductions = sharedReductions(items);
  if (!first || !reductions) return null;
  const { source } = first.planned;
  const making = reducingPeak(source, reductions);
  const held = reducedBytes(reductions) + items.reduce((sum, one) => sum + resultBytes(one), 0);
  const worst = worstPeak(items.map((one) => ({ peak: peakOf(one) })));
  const peak = worstPeak([{ peak: making }, { peak: { ...worst, buffers: worst.buffers + held } }]);
  const beside = source.fileBytes + profileBytes(source);
  if (!fitsAlone(making, beside) || !fitsAlone(peak, beside)) return null;
  const each = items.map(({ item: { options }, planned }) =>
    planned.plan.kind === 'planned'
      ? cpuFromReductions(planned.plan.candidates, source, options.metadata)
      : planned.cpuMs,
  );
  const cpuMs = each.reduce((sum, ms) => sum + ms, reducingCpu(source, reductions));
  if (others.length > 0 && cpuMs > maxPassMs) return null;
  return { items: [first, ...others], cpuMs, peak, reductionsOf: sharedReductions };
}

/** The pass that makes a result as if it were alone. */
function alone(one: PlannedItem): SharedPass {
  const { cpuMs, peak } = one.planned;
  return { items: [one], cpuMs, peak, reductionsOf: () => null };
}

/** Peak memory of a result that is made of held reductions, in addition to these, the file and its profile. */
function peakOf({ item: { options }, planned: { plan, source, peak } }: PlannedItem): Peak {
  if (plan.kind === 'animated') return peak;
  return worstPeak(
    plan.candidates.map((candidate) => ({
      peak: peakFromReductions(candidate, source, options.metadata),
    })),
  );
}

/** Expected size of a result in bytes. */
function resultBytes({ planned: { plan, source } }: PlannedItem): number {
  if (plan.kind === 'animated') return source.fileBytes;
  const sizes = plan.candidates.map((candidate) =>
    candidate.kind === 'encode' ? encodedBytes(candidate, source) : source.fileBytes,
  );
  return Math.max(...sizes);
}

function encodedBytes(candidate: EncodeCandidate, source: Source): number {
  const [encoder] = encodersFor(encodedShape(source, candidate), candidate);
  return encoder?.bufferBytes ?? 0;
}
