/**
 * The blocks of a macroblock in the order that they are numbered in here: sixteen of luma in rows, four of U, four of
 * V, and the second-order one (RFC 6386 §13); and where it is noted along an edge which of them have coefficients.
 */

/** Bytes of a block: 16 coefficients or levels of i16. */
export const blockBytes: usize = 32;
export const firstChroma: usize = 16;
export const firstV: usize = 20;
/** Index of the second-order block, with the DC coefficients of all luma blocks. */
export const secondOrderBlock: usize = 24;
export const blockCount: usize = 25;

/* Flags of an edge, the lower or the right one, a byte each: four of luma, two of U, two of V, one of second order. */
export const lumaFlags: usize = 0;
export const chromaFlags: usize = 4;
export const vFlags: usize = 6;
export const secondOrderFlag: usize = 8;
export const flagBytes: usize = 12;
