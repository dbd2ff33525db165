/**
 * Bytes that a byte of deflated data can become at most: a match takes two bits at least and has 258
 * bytes at most (RFC 1951 §3.2.5).
 */
export const greatestExpansion = 4 * 258;
