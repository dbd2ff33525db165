/**
 * What visible quality may be asked for, as SSIMULACRA2: 70 is hard to notice without the original beside it, 90
 * indistinguishable. Imports nothing: pages and the API state it, too.
 */
export const namedTargets = { low: 65, medium: 77, high: 86 } as const;

/** Below the least nobody wants a result; beyond the highest, bytes buy nothing that is seen. */
export const targetRange = { min: 30, max: 95 } as const;
