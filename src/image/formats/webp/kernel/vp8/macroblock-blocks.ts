/**
 * Numbering of the blocks in a macroblock: sixteen of luma in rows, four of U, four of V, and the second-order block
 * (RFC 6386 §13); layout of the flags along an edge that tell which blocks have coefficients.
 */

/** Bytes of a block: 16 coefficients or levels, i16 each. */
export const blockBytes: usize = 32;
export const firstChroma: usize = 16;
export const firstV: usize = 20;
/** Index of the second-order block, with the DC coefficients of all luma blocks. */
export const secondOrderBlock: usize = 24;
export const blockCount: usize = 25;

/*
 * Flags of the bottom or right edge, one byte each: four for luma, two for U, two for V, one for the second-order
 * block.
 */
export const lumaFlags: usize = 0;
export const chromaFlags: usize = 4;
export const vFlags: usize = 6;
export const secondOrderFlag: usize = 8;
export const flagBytes: usize = 12;
