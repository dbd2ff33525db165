/** How decoding a VP8L stream or an ALPH chunk went; anything but `sound` means that it is refused. */

export const sound: i32 = 0;
/** What the data begin with is no header, or one of another size than the picture's. */
export const badHeader: i32 = 1;
/** Bits were needed behind the end of the data. */
export const truncated: i32 = 2;
/** There is no room for what the stream asks for. */
export const outOfMemory: i32 = 3;
/** A transform stands twice. */
export const badTransform: i32 = 4;
/** A color cache of no allowed size. */
export const badCache: i32 = 5;
/** Code lengths that make no prefix code. */
export const badCode: i32 = 6;
/** A reference to before the first pixel, or beyond the last. */
export const badReference: i32 = 7;
