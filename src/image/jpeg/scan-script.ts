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
  /** Places of Cb and Cr, which have little detail; none in RGB, CMYK and grey. */
  readonly chroma: readonly number[];
  /** Whether all components may share a scan: at most ten blocks in an MCU (T.81 §B.2.3). */
  readonly interleaves: boolean;
}

/** How the DC coefficients of a frame are spread over scans. */
export interface DcPlan {
  /** Components that share a scan. */
  readonly groups: readonly (readonly number[])[];
  /** Bits that are left to refinements. */
  readonly bits: number;
}

/** How the AC coefficients of a component are spread over scans. */
export interface AcPlan {
  /** The last coefficient of the low band; 63: there is one band only. */
  readonly split: number;
  /** Where the low band takes two scans, the last coefficient of the first. */
  readonly lowSplit?: number;
  /** Bits of the low and the high band that are left to refinements; the same where there is one band. */
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
export function allOf({ componentCount }: ScriptFrame): number[] {
  return Array.from({ length: componentCount }, (_, c) => c);
}

/** Each component in a group of its own. */
export function eachOf(frame: ScriptFrame): number[][] {
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
