/** Status of decoding a VP8 or VP8L stream or an ALPH chunk; anything but `sound` and `incomplete` means that it is refused. */

export const sound: i32 = 0;
/** The header is invalid, or has another size than the picture. */
export const badHeader: i32 = 1;
/** Bits were needed after the end of the data. */
export const truncated: i32 = 2;
/** There is not enough memory for the stream. */
export const outOfMemory: i32 = 3;
/** A transform is repeated. */
export const badTransform: i32 = 4;
/** The size of the color cache is invalid. */
export const badCache: i32 = 5;
/** Code lengths do not form a prefix code. */
export const badCode: i32 = 6;
/** A reference goes before the first pixel or beyond the last. */
export const badReference: i32 = 7;
/** The codes have far more symbols than pixels could use; nothing else is known to be wrong. */
export const excessive: i32 = 8;
/** Nothing is wrong so far, but more has to be read before the pixels. */
export const incomplete: i32 = 9;
