/**
 * The codes of prediction modes (RFC 6386 §11.2, §11.3), numbered as in vp8/prediction.ts.
 */

/** Probability that the blocks of a macroblock are predicted separately. */
export const byBlockProbability: u32 = 145;

/* Modes of whole macroblocks: up to four entries of the bool encoder's list, terminated by 0. */
export const entryBytes: usize = 8;

/** Whole-macroblock luma modes, including the bit that selects them. */
export const wholeEntries: usize = memory.data<u16>([
  0x191, 0x09c, 0x0a3, 0, 0x191, 0x19c, 0x180, 0, 0x191, 0x09c, 0x1a3, 0, 0x191, 0x19c, 0x080, 0,
]);
/** Chroma modes. */
export const chromaEntries: usize = memory.data<u16>([
  0x08e, 0, 0, 0, 0x18e, 0x172, 0x1b7, 0, 0x18e, 0x072, 0, 0, 0x18e, 0x172, 0x0b7, 0,
]);

/* Modes of blocks: up to seven steps (twice the node plus the bit), followed by an end mark. */
export const pathBytes: usize = 8;
export const pathEnd: u32 = 255;
export const blockPaths: usize = memory.data<u8>([
  0, 255, 0, 0, 0, 0, 0, 0, 1, 2, 255, 0, 0, 0, 0, 0, 1, 3, 4, 255, 0, 0, 0, 0, 1, 3, 5, 6, 8, 255,
  0, 0, 1, 3, 5, 6, 9, 10, 255, 0, 1, 3, 5, 6, 9, 11, 255, 0, 1, 3, 5, 7, 12, 255, 0, 0, 1, 3, 5, 7,
  13, 14, 255, 0, 1, 3, 5, 7, 13, 15, 16, 255, 1, 3, 5, 7, 13, 15, 17, 255,
]);
