/** Scans in the order of the file, and what they take with their headers. */
interface ScanScript {
  readonly scans: readonly Scan[];
  readonly bits: number;
}

/** Bits of a scan's coded data and of the segment that defines its tables. */
type ScanCost = (scan: Scan) => number;

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
 * Components that share a scan need fewer headers and tables; alone, the blocks of those that are not subsampled follow
 * each other in rows, where neighbors differ less.
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
  // scans of different plans can be combined as well
  const others = allPlans.filter((plan) => costs.areKnown(acScans(c, plan)));
  return acScans(c, cheapest(others, best, bits));
}

/** Everything that the scans of the plans above can be combined to, and more. */
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

/** What one scan codes (ITU-T T.81 §B.2.3). */
export interface Scan {
  /** Places in the frame, ascending. */
  readonly components: readonly number[];
  /** First and last coefficient, in zigzag order. */
  readonly ss: number;
  readonly se: number;
  /** The lowest bit that was coded before, 0: none was; and the lowest that is coded now. */
  readonly ah: number;
  readonly al: number;
}

/** What scripts depend on of a frame. */
export interface ScriptFrame {
  readonly componentCount: number;
  /** Places of Cb and Cr, which have little detail; none in RGB, CMYK and gray. */
  readonly chroma: readonly number[];
  /** Whether all components may share a scan: at most ten blocks in an MCU (T.81 §B.2.3). */
  readonly interleaves: boolean;
}

/** How the DC coefficients of a frame are spread over scans. */
interface DcPlan {
  /** Components that share a scan. */
  readonly groups: readonly (readonly number[])[];
  /** Bits that are left to refinements. */
  readonly bits: number;
}

/** How the AC coefficients of a component are spread over scans. */
interface AcPlan {
  /** The last coefficient of the low band; 63: there is one band only. */
  readonly split: number;
  /** Where the low band takes two scans, the last coefficient of the first. */
  readonly lowSplit?: number;
  /** Bits of the low and the high band that are left to refinements; equal where there is one band. */
  readonly low: number;
  readonly high: number;
}

/** The scans of all DC coefficients. */
export function dcScans({ groups, bits }: DcPlan): Scan[] {
  const scans = groups.map((components) => ({ components, ss: 0, se: 0, ah: 0, al: bits }));
  for (let ah = bits; ah > 0; ah -= 1) {
    scans.push(...groups.map((components) => ({ components, ss: 0, se: 0, ah, al: ah - 1 })));
  }
  return scans;
}

/** The scans of a component's AC coefficients. A bit that both bands lack is refined in one scan. */
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

/** One scan for all components, or one for each where they cannot share it. */
export function sequentialScans(frame: ScriptFrame): Scan[] {
  const groups = frame.interleaves ? [allOf(frame)] : eachOf(frame);
  return groups.map((components) => ({ components, ss: 0, se: 63, ah: 0, al: 0 }));
}

/** All components in one group. */
function allOf({ componentCount }: ScriptFrame): number[] {
  return Array.from({ length: componentCount }, (_, c) => c);
}

/** Each component in a group of its own. */
function eachOf(frame: ScriptFrame): number[][] {
  return allOf(frame).map((c) => [c]);
}

/** Of libjpeg's default script: `jpeg_simple_progression` in jcparam.c. */
export function defaultDcPlan(frame: ScriptFrame): DcPlan {
  return { groups: frame.interleaves ? [allOf(frame)] : eachOf(frame), bits: 1 };
}

/** Of libjpeg's default script, in which chroma is too small to be worth many scans. */
export function defaultAcPlan(isChroma: boolean): AcPlan {
  return isChroma ? { split: 63, low: 1, high: 1 } : { split: 5, low: 2, high: 2 };
}

/**
 * The scans in the order in which a viewer soon has most of the picture: DC, the
 * low frequencies of all but chroma, chroma, the rest, and then bit after bit,
 * where DC and chroma go first because they are small.
 * @param scans of which those of one coefficient follow each other
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
