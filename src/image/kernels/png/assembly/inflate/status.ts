/** How reading went; anything but `sound` means that the data are damaged. */

export const sound: i32 = 0;
/** The compressed data end before their stream does. */
export const truncated: i32 = 1;
/** What begins the data is not a zlib header, or asks for a dictionary. */
export const badHeader: i32 = 2;
/** A block of an unknown type, or a stored one whose length is damaged. */
export const badBlock: i32 = 3;
/** The lengths of a block's prefix codes make no codes. */
export const badCode: i32 = 4;
/** Bits that stand for no symbol, or a length or distance that does not exist. */
export const badSymbol: i32 = 5;
/** A match that begins before the first byte. */
export const badDistance: i32 = 6;
/** The stream holds fewer bytes than were asked for. */
export const missing: i32 = 7;
/** The stream holds more bytes than were asked for. */
export const surplus: i32 = 8;
/** The Adler-32 is not that of the bytes. */
export const badChecksum: i32 = 9;
/** A row has a filter that does not exist. */
export const badFilter: i32 = 10;
