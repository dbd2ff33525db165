/**
 * The named targets as SSIMULACRA2 scores: 70 is hard to distinguish without the original for comparison, 90
 * indistinguishable. Without imports, because pages and the API use it as well.
 */
export const namedTargets = { low: 65, medium: 77, high: 86 } as const;

/** The range of targets: lower ones are unusable, and higher ones cost bytes without visible gain. */
export const targetRange = { min: 30, max: 95 } as const;
