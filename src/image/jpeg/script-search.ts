import {
  type AcPlan,
  acScans,
  allOf,
  type DcPlan,
  dcScans,
  defaultAcPlan,
  defaultDcPlan,
  eachOf,
  inViewingOrder,
  type Scan,
  type ScriptFrame,
  sequentialScans,
} from './scan-script.ts';

/** Scans in the order of the file, and what they take with their headers. */
export interface ScanScript {
  readonly scans: readonly Scan[];
  readonly bits: number;
}

/** Bits of a scan's coded data and of the segment that defines its tables. */
export type ScanCost = (scan: Scan) => number;

/**
 * What is tried for a component, in order of the bits that are left to
 * refinements: twelve plans. They were chosen among those with bands that end at
 * 2, 3, 5, 8, 12 or 18 and with up to three bits, by what each of them gains for
 * the scans that have to be counted, on photographs of qualities 40 to 97.
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
 * Finds a script of progressive scans that is as short as can be. What each
 * coefficient costs does not depend on the scans of others, so DC and the AC
 * coefficients of each component are searched on their own; as in MozJPEG
 * (`select_scans` in jcmaster.c) bits are left to refinements only as long as
 * that pays. It never takes more than libjpeg's default script.
 *
 * @param cost is asked once for each scan: of three components up to 11 of DC, 20 of luma, 9 of each chroma
 */
export function chooseScript(frame: ScriptFrame, cost: ScanCost): ScanScript {
  const costs = new ScanCosts(cost);
  const chosen = dcScans(cheapestDcPlan(frame, costs));
  for (const c of allOf(frame)) {
    chosen.push(...cheapestAcScans(c, frame.chroma.includes(c), costs));
  }
  return { scans: inViewingOrder(chosen, frame), bits: costs.of(chosen) };
}

/**
 * The cheaper of the best progressive script and of sequential coding, which
 * takes less time and memory to decode and is preferred where both are equal.
 * @param sequentialBits of the data of `sequentialScans` and of the tables
 */
export function chooseCoding(
  frame: ScriptFrame,
  cost: ScanCost,
  sequentialBits: number,
): ScanScript & { readonly process: 'sequential' | 'progressive' } {
  const scans = sequentialScans(frame);
  const bits = scans.reduce((sum, scan) => sum + headerBits(scan), sequentialBits);
  const progressive = chooseScript(frame, cost);
  return progressive.bits < bits
    ? { process: 'progressive', ...progressive }
    : { process: 'sequential', scans, bits };
}

/** Of SOS (T.81 §B.2.3). */
function headerBits({ components }: Scan): number {
  return 8 * (8 + 2 * components.length);
}

/** Costs with headers, each asked for only once. */
class ScanCosts {
  readonly #cost: ScanCost;
  readonly #known = new Map<string, number>();

  constructor(cost: ScanCost) {
    this.#cost = cost;
  }

  of(scans: readonly Scan[]): number {
    let bits = 0;
    for (const scan of scans) {
      const key = keyOf(scan);
      const known = this.#known.get(key) ?? this.#cost(scan) + headerBits(scan);
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
 * Components that share a scan need fewer headers and tables; alone, the blocks of those that are
 * not subsampled follow each other in rows, where neighbours differ less.
 */
function cheapestDcPlan(frame: ScriptFrame, costs: ScanCosts): DcPlan {
  const usual = defaultDcPlan(frame);
  const whole = { ...usual, bits: 0 };
  const isRefined = costs.of(dcScans(usual)) < costs.of(dcScans(whole));
  const bits = isRefined ? 1 : 0;
  const others = allOf(frame).filter((c) => !frame.chroma.includes(c));
  const candidates = [{ groups: eachOf(frame), bits }];
  if (frame.interleaves && frame.chroma.length > 0 && others.length > 0) {
    candidates.push({ groups: [...others.map((c) => [c]), [...frame.chroma]], bits });
  }
  return cheapest(candidates, isRefined ? usual : whole, (plan) => costs.of(dcScans(plan)));
}

function cheapestAcScans(c: number, isChroma: boolean, costs: ScanCosts): Scan[] {
  const bits = (plan: AcPlan) => costs.of(acScans(c, plan));
  let best = defaultAcPlan(isChroma);
  for (const plan of isChroma ? chromaPlans : plans) {
    if (plan.high <= best.high + 1) best = cheapest([plan], best, bits);
  }
  // scans of different plans can also go together
  const others = allPlans.filter((plan) => costs.areKnown(acScans(c, plan)));
  return acScans(c, cheapest(others, best, bits));
}

/** All that scans of the plans can be put together to, and more. */
const allPlans: readonly AcPlan[] = [2, 5, 8, 12, 63].flatMap((split) =>
  (split === 8 ? [0, 2] : [0]).flatMap((lowSplit) =>
    [0, 1, 2, 3].flatMap((low) => [0, 1, 2, 3].map((high) => ({ lowSplit, split, low, high }))),
  ),
);

/** The first of the cheapest ones. */
function cheapest<Plan>(
  candidates: readonly Plan[],
  first: Plan,
  bits: (plan: Plan) => number,
): Plan {
  return candidates.reduce((best, plan) => (bits(plan) < bits(best) ? plan : best), first);
}
