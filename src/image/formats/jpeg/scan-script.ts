import type { Slices } from '../../slices.ts';

/** Scans in file order, and their total bits including headers. */
interface ScanScript {
  readonly scans: readonly Scan[];
  readonly bits: number;
}

/** Returns the bits of a scan's coded data and of its table segment. */
type ScanCost = (scan: Scan) => Slices<number>;

/**
 * The twelve plans to try for a component, by the number of bits left to refinement. They were selected among bands
 * that end at 2, 3, 5, 8, 12 or 18 with up to three refinement bits, by their gain relative to the scans to count, on
 * photos at qualities of 40 to 97.
 */
const plans: readonly AcPlan[] = [
  { split: 63, low: 0, high: 0 },
  { split: 2, low: 0, high: 0 },
  { split: 8, low: 0, high: 0 },
  { split: 2, low: 0, high: 1 },
  { split: 8, low: 0, high: 1 },
  { lowSplit: 2, split: 8, low: 0, high: 1 },
  { split: 8, low: 1, high: 1 },
  defaultAcPlan(false),
  { split: 63, low: 2, high: 2 },
  { split: 12, low: 2, high: 2 },
  { lowSplit: 2, split: 8, low: 2, high: 2 },
  { split: 12, low: 3, high: 3 },
];
const chromaPlans: readonly AcPlan[] = [
  { split: 63, low: 0, high: 0 },
  { split: 2, low: 0, high: 0 },
  defaultAcPlan(true),
  { split: 63, low: 2, high: 2 },
  { split: 63, low: 3, high: 3 },
];

/**
 * Finds the shortest progressive scan script. The cost of a coefficient does not depend on the scans of others, so DC
 * and the AC coefficients of each component are searched independently. As in MozJPEG (`select_scans` in jcmaster.c),
 * the number of refinement bits is increased only as long as that saves bytes. The result is never longer than
 * libjpeg's default script.
 *
 * @param cost called once for each scan: with three components, for up to 11 scans of DC, 20 of luma, 9 of each chroma
 */
export function* chooseScript(frame: ScriptFrame, cost: ScanCost): Slices<ScanScript> {
  const costs = new ScanCosts(cost);
  const chosen = dcScans(yield* cheapestDcPlan(frame, costs));
  for (const c of allOf(frame)) {
    chosen.push(...(yield* cheapestAcScans(c, frame.chroma.includes(c), costs)));
  }
  return { scans: inViewingOrder(chosen, frame), bits: yield* costs.of(chosen) };
}

/**
 * Chooses between the best progressive script and sequential coding, which takes less time and memory to decode and is
 * preferred if both are equal.
 * @param sequentialBits bits of the data and tables of `sequentialScans`
 */
export function* chooseCoding(
  frame: ScriptFrame,
  cost: ScanCost,
  sequentialBits: number,
): Slices<ScanScript & { readonly process: 'sequential' | 'progressive' }> {
  const scans = sequentialScans(frame);
  const bits = scans.reduce((sum, scan) => sum + headerBits(scan), sequentialBits);
  const progressive = yield* chooseScript(frame, cost);
  return progressive.bits < bits
    ? { process: 'progressive', ...progressive }
    : { process: 'sequential', scans, bits };
}

/** Bits of a scan header (SOS, T.81 §B.2.3). */
function headerBits({ components }: Scan): number {
  return 8 * (8 + 2 * components.length);
}

/** Caches the costs of scans, including headers. */
class ScanCosts {
  readonly #cost: ScanCost;
  readonly #known = new Map<string, number>();

  constructor(cost: ScanCost) {
    this.#cost = cost;
  }

  *of(scans: readonly Scan[]): Slices<number> {
    let bits = 0;
    for (const scan of scans) {
      const key = keyOf(scan);
      const known = this.#known.get(key) ?? (yield* this.#cost(scan)) + headerBits(scan);
      this.#known.set(key, known);
      bits += known;
    }
    return bits;
  }

  areKnown(scans: readonly Scan[]): boolean {
    return scans.every((scan) => this.#known.has(keyOf(scan)));
  }
}

function keyOf({ components, ss, se, ah, al }: Scan): string {
  return `${components.join()}:${ss}-${se}:${ah}-${al}`;
}

/**
 * Finds the cheapest DC plan. Components in a shared scan need fewer headers and tables; in separate scans, the blocks
 * of components that are not subsampled follow each other in rows, so that neighbors differ less.
 */
function* cheapestDcPlan(frame: ScriptFrame, costs: ScanCosts): Slices<DcPlan> {
  const usual = defaultDcPlan(frame);
  const whole = { ...usual, bits: 0 };
  const isRefined = (yield* costs.of(dcScans(usual))) < (yield* costs.of(dcScans(whole)));
  const bits = isRefined ? 1 : 0;
  const others = allOf(frame).filter((c) => !frame.chroma.includes(c));
  const candidates = [{ groups: eachOf(frame), bits }];
  if (frame.interleaves && frame.chroma.length > 0 && others.length > 0) {
    candidates.push({ groups: [...others.map((c) => [c]), [...frame.chroma]], bits });
  }
  return yield* cheapest(candidates, isRefined ? usual : whole, (plan) => costs.of(dcScans(plan)));
}

function* cheapestAcScans(c: number, isChroma: boolean, costs: ScanCosts): Slices<Scan[]> {
  const bits = (plan: AcPlan) => costs.of(acScans(c, plan));
  let best = defaultAcPlan(isChroma);
  for (const plan of isChroma ? chromaPlans : plans) {
    if (plan.high <= best.high + 1) best = yield* cheapest([plan], best, bits);
  }
  // Known scans of different plans can be combined, too.
  const others = allPlans.filter((plan) => costs.areKnown(acScans(c, plan)));
  return acScans(c, yield* cheapest(others, best, bits));
}

/** A superset of the plans to which the scans of `plans` can be combined. */
const allPlans: readonly AcPlan[] = [2, 5, 8, 12, 63].flatMap((split) =>
  (split === 8 ? [0, 2] : [0]).flatMap((lowSplit) =>
    [0, 1, 2, 3].flatMap((low) => [0, 1, 2, 3].map((high) => ({ lowSplit, split, low, high }))),
  ),
);

/** The cheapest plan, the first one of several. */
function* cheapest<Plan>(
  candidates: readonly Plan[],
  first: Plan,
  bits: (plan: Plan) => Slices<number>,
): Slices<Plan> {
  let best = first;
  for (const plan of candidates) {
    if ((yield* bits(plan)) < (yield* bits(best))) best = plan;
  }
  return best;
}

/** The parameters of a scan (ITU-T T.81 §B.2.3). */
export interface Scan {
  /** Indices in the frame, ascending. */
  readonly components: readonly number[];
  /** First and last coefficient, in zigzag order. */
  readonly ss: number;
  readonly se: number;
  /** Lowest bit coded by earlier scans, 0 if there are none (Ah); lowest bit coded by this scan (Al). */
  readonly ah: number;
  readonly al: number;
}

/** The properties of a frame that scan scripts depend on. */
export interface ScriptFrame {
  readonly componentCount: number;
  /** Indices of Cb and Cr, which have little detail; empty for RGB, CMYK and gray. */
  readonly chroma: readonly number[];
  /** Whether all components may share a scan: at most ten blocks in an MCU (T.81 §B.2.3). */
  readonly interleaves: boolean;
}

/** The scans of a frame's DC coefficients. */
interface DcPlan {
  /** Groups of components that share a scan. */
  readonly groups: readonly (readonly number[])[];
  /** Number of bits left to refinement scans. */
  readonly bits: number;
}

/** The scans of a component's AC coefficients. */
interface AcPlan {
  /** Last coefficient of the low band; 63 for a single band. */
  readonly split: number;
  /** Last coefficient of the first scan, if the low band has two scans. */
  readonly lowSplit?: number;
  /** Number of bits of the low and the high band that are left to refinement scans; equal for a single band. */
  readonly low: number;
  readonly high: number;
}

/** Returns the scans of all DC coefficients. */
export function dcScans({ groups, bits }: DcPlan): Scan[] {
  const scans = groups.map((components) => ({ components, ss: 0, se: 0, ah: 0, al: bits }));
  for (let ah = bits; ah > 0; ah -= 1) {
    scans.push(...groups.map((components) => ({ components, ss: 0, se: 0, ah, al: ah - 1 })));
  }
  return scans;
}

/** Returns the scans of a component's AC coefficients. A bit that both bands lack is refined in one scan. */
export function acScans(c: number, { split, lowSplit = 0, low, high }: AcPlan): Scan[] {
  const components = [c];
  const scans: Scan[] = [{ components, ss: lowSplit + 1, se: split, ah: 0, al: low }];
  if (lowSplit > 0) scans.unshift({ components, ss: 1, se: lowSplit, ah: 0, al: low });
  if (split < 63) scans.push({ components, ss: split + 1, se: 63, ah: 0, al: high });
  for (let ah = Math.max(low, high); ah > 0; ah -= 1) {
    const ss = low >= ah ? 1 : split + 1;
    const se = high >= ah ? 63 : split;
    scans.push({ components, ss, se, ah, al: ah - 1 });
  }
  return scans;
}

/** A single scan for all components, or one for each if they cannot share it. */
export function sequentialScans(frame: ScriptFrame): Scan[] {
  const groups = frame.interleaves ? [allOf(frame)] : eachOf(frame);
  return groups.map((components) => ({ components, ss: 0, se: 63, ah: 0, al: 0 }));
}

/** The indices of all components. */
function allOf({ componentCount }: ScriptFrame): number[] {
  return Array.from({ length: componentCount }, (_, c) => c);
}

/** Each component as a separate group. */
function eachOf(frame: ScriptFrame): number[][] {
  return allOf(frame).map((c) => [c]);
}

/** The DC plan of libjpeg's default script, `jpeg_simple_progression` in jcparam.c. */
export function defaultDcPlan(frame: ScriptFrame): DcPlan {
  return { groups: frame.interleaves ? [allOf(frame)] : eachOf(frame), bits: 1 };
}

/** The AC plan of libjpeg's default script, in which chroma has fewer scans because it is small. */
export function defaultAcPlan(isChroma: boolean): AcPlan {
  return isChroma ? { split: 63, low: 1, high: 1 } : { split: 5, low: 2, high: 2 };
}

/**
 * Sorts scans so that most of the picture is visible early: DC, the low frequencies of all components but chroma,
 * chroma, the rest, then refinements bit by bit, with DC and chroma first because they are small.
 * @param scans scans in a valid order for each coefficient
 */
export function inViewingOrder(scans: readonly Scan[], { chroma }: ScriptFrame): Scan[] {
  const rank = ({ components, ss, ah }: Scan): number => {
    const isChroma = components.every((c) => chroma.includes(c));
    if (ss === 0) return 0;
    if (ah > 0) return isChroma ? 1 : 2;
    return isChroma ? 2 : ss === 1 ? 1 : 3;
  };
  /** First scans come before refinements, and those of high bits before those of low ones. */
  const level = ({ ah }: Scan): number => (ah === 0 ? Number.NEGATIVE_INFINITY : -ah);
  return scans.toSorted((a, b) => Math.sign(level(a) - level(b)) || rank(a) - rank(b));
}
