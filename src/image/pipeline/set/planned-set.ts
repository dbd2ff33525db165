import type { ImageType } from '../../formats/facts.ts';
import { uprightSize } from '../../formats/registry.ts';
import { ImageError } from '../../image-error.ts';
import type { Size } from '../../pixels/raster.ts';
import type { Position } from '../../pixels/resize-target.ts';
import { damaged, isForLackOfMemory, type Refusal } from '../../refusal.ts';
import type { Slices } from '../../slices.ts';
import { maxCpuMs } from '../../wasm/budgets.ts';
import type { Peak } from '../../wasm/memory-ledger.ts';
import { explainRefusal } from '../explain.ts';
import { interestPreview, interestsIn, searchingMs } from '../interest.ts';
import {
  type Optimized,
  type Picture,
  plannedResult,
  profileBytes,
  readPicture,
} from '../planned-result.ts';
import { predictedPeak } from '../predicted-memory.ts';
import { ReducedPixels } from '../reduced-pixels.ts';
import { type PlannedItem, plannedPasses, type SharedPass } from './passes.ts';
import { itemsOf, type SetItem, type SetOptions } from './set-options.ts';

/** A result of a set, by the width of its box in pixels and its type. */
export interface NamedResult {
  readonly width: number;
  readonly type: ImageType;
}

/** What came of one result of a set. */
export type SetOutcome = NamedResult &
  (
    | { readonly kind: 'made'; readonly made: Optimized }
    | {
        readonly kind: 'failed';
        readonly error: ImageError;
        /** Whether work was done for it; not if another result has shown before that the file is damaged. */
        readonly isTried: boolean;
      }
  );

/** Takes what came of a result, and accounts for its memory, before it returns. */
export type DeliverOutcome = (outcome: SetOutcome) => void;

/** Work on several results at once, after which other work may run before the next pass. */
export interface PlannedPass {
  /** What it makes; none if it only looks at the picture for later passes. */
  readonly results: readonly NamedResult[];
  /** CPU time in milliseconds. */
  readonly cpuMs: number;
  /** Peak memory in addition to the file, `PlannedSet.heldBytes`, and results that have been delivered. */
  readonly peak: Peak;
  /** See `Work.totalPeak`. */
  totalPeak(fileBytes: number): number;
  run(deliver: DeliverOutcome): Slices<void>;
}

/** All results of a set, in passes that have to run in this order. */
export interface PlannedSet {
  readonly inputType: ImageType;
  readonly inputSize: Size;
  /** Bytes that were read from the file and are held until the last pass is done: its profile. */
  readonly heldBytes: number;
  readonly passes: readonly [PlannedPass, ...PlannedPass[]];
  readonly learned: Learned;
}

/** What passes learn from those before: with it, the next one may be made by another plan of the same set. */
export interface Learned {
  /** Where the point of interest is, by the widths of results. */
  readonly positions: Map<number, Position>;
  /** The error if the file has turned out to be damaged: no further result is tried. */
  damage: ImageError | null;
}

/**
 * Plans a set of results of a file, which must stay unchanged until they are made. Nothing is decoded.
 * @param learned by passes that have been made before
 * @throws ImageError if any of them cannot be made, or all of them take too much CPU time
 */
export function plannedSet(
  file: Uint8Array<ArrayBuffer>,
  set: SetOptions,
  learned: Learned = { positions: new Map(), damage: null },
): PlannedSet {
  const picture = readPicture(file, set.shared);
  const upright = uprightSize(picture.whole.image);
  const items = itemsOf(set, upright, picture.type);
  const planned = items.map((item) => plannedItem(picture, item));
  const { positions } = learned;
  const settled = (one: PlannedItem): PlannedItem => {
    const { width, options } = one.item;
    const position = positions.get(width);
    return position ? plannedItem(picture, { width, options: { ...options, position } }) : one;
  };
  const look = lookingPass(picture, items, positions);
  const passes = plannedPasses(planned).map((pass) => runnable(picture, pass, settled, learned));
  const [first, ...others] = look ? [look, ...passes] : passes;
  if (!first) throw new TypeError('a set has at least one result');
  refuseLong([first, ...others], picture.type);
  return {
    inputType: picture.type,
    inputSize: upright,
    heldBytes: profileBytes(picture.whole),
    passes: [first, ...others],
    learned,
  };
}

function plannedItem(picture: Picture, item: SetItem): PlannedItem {
  return { item, planned: plannedResult(picture, item.options) };
}

/** @throws ImageError if the results take too much CPU time together */
function refuseLong(passes: readonly PlannedPass[], type: ImageType): void {
  let [cpuMs, fitting, total] = [0, 0, 0];
  for (const pass of passes) {
    cpuMs += pass.cpuMs;
    total += pass.results.length;
    if (cpuMs <= maxCpuMs) fitting = total;
  }
  if (cpuMs <= maxCpuMs) return;
  const detail = `These ${total} results of this image take too long for one call, ${fitting} of them would do: ask for fewer widths or formats.`;
  throw new ImageError('invalid_options', detail, { limit_results: fitting }, type);
}

/** The pass that looks for what is of interest; null if nothing depends on it. */
function lookingPass(
  picture: Picture,
  items: readonly SetItem[],
  positions: Map<number, Position>,
): PlannedPass | null {
  const { file, whole } = picture;
  const crops = items.flatMap(({ width, options }) => {
    const preview = interestPreview(whole, file, options);
    return preview ? [{ width, options, preview }] : [];
  });
  const byWidth = [...new Map(crops.map((crop) => [crop.width, crop])).values()];
  const [first] = byWidth;
  if (!first) return null;
  const { preview } = first;
  const { target } = preview.steps;
  const searches = (byWidth.length - 1) * searchingMs(target ?? whole.image);
  return {
    results: [],
    cpuMs: preview.cpuMs + searches,
    peak: preview.peak,
    totalPeak: (fileBytes) => predictedPeak([preview], fileBytes),
    *run() {
      const boxes = byWidth.map(({ options }) => options);
      const found = yield* interestsIn(file, preview, boxes);
      for (const [i, { width }] of byWidth.entries()) {
        const position = found[i];
        if (position) positions.set(width, position);
      }
    },
  };
}

/** @param settled a result as it is made, once its position has been found */
function runnable(
  picture: Picture,
  { items, cpuMs, peak, reductionsOf }: SharedPass,
  settled: (one: PlannedItem) => PlannedItem,
  learned: Learned,
): PlannedPass {
  return {
    results: items.map(({ item }) => nameOf(picture, item)),
    ...{ cpuMs, peak },
    totalPeak: (fileBytes) => predictedPeak([{ peak }], fileBytes),
    *run(deliverOne) {
      const deliver = (outcome: SetOutcome) => {
        learned.damage ??= damageIn(outcome);
        deliverOne(outcome);
      };
      if (learned.damage) {
        for (const { item } of items) deliver(failure(picture, item, learned.damage, false));
        return;
      }
      const ready = items.map(settled);
      const retried: PlannedItem[] = [];
      const found = yield* reducedFor(picture, ready, reductionsOf(ready));
      const reduced = found instanceof ReducedPixels ? found : null;
      const refusal = found instanceof ReducedPixels ? null : found;
      try {
        for (const [i, one] of ready.entries()) {
          const { damage } = learned;
          const outcome = damage
            ? failure(picture, one.item, damage, false)
            : refusal
              ? refused(picture, one, refusal, i === 0)
              : yield* outcomeOf(picture, one, reduced);
          // It may fit without what it shares with others.
          if (reduced && outcome.kind === 'failed' && outcome.error.isTooLarge) retried.push(one);
          else deliver(outcome);
        }
      } finally {
        reduced?.end();
      }
      for (const one of retried) deliver(yield* outcomeOf(picture, one, null));
    },
  };
}

/** Holds the reductions for the results of a pass, or tells that there can be no result; null if they share none. */
function* reducedFor(
  { file }: Picture,
  [first]: readonly PlannedItem[],
  reductions: ReturnType<SharedPass['reductionsOf']>,
): Slices<ReducedPixels | Refusal | null> {
  if (!first || !reductions) return null;
  const made = yield* ReducedPixels.of(file, first.planned.source, reductions);
  // Each result may still fit.
  return 'reason' in made && isForLackOfMemory(made) ? null : made;
}

function refused(
  picture: Picture,
  { item, planned: { source } }: PlannedItem,
  refusal: Refusal,
  isTried: boolean,
): SetOutcome {
  const error = explainRefusal(refusal, source, item.options).about(picture.type);
  return failure(picture, item, error, isTried);
}

function failure(picture: Picture, item: SetItem, error: ImageError, isTried: boolean): SetOutcome {
  return { kind: 'failed', ...nameOf(picture, item), error, isTried };
}

/** The error of a result if it concerns the file as a whole; null otherwise. */
function damageIn(outcome: SetOutcome): ImageError | null {
  const isDamage = outcome.kind === 'failed' && outcome.error.detail === damaged.detail;
  return isDamage ? outcome.error : null;
}

function nameOf({ type }: Picture, { width, options: { format } }: SetItem): NamedResult {
  return { width, type: format === 'keep' || format === 'auto' ? type : format };
}

function* outcomeOf(
  picture: Picture,
  { item, planned }: PlannedItem,
  reduced: ReducedPixels | null,
): Slices<SetOutcome> {
  try {
    const made = yield* planned.make(() => null, reduced);
    return { kind: 'made', ...nameOf(picture, item), made };
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    return failure(picture, item, error, true);
  }
}
