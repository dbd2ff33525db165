/** Results of decoding; anything but `sound` means that the data are damaged. */

export const sound: i32 = 0;
/** The data end before the picture does. */
export const tooShort: i32 = 1;
/** A code that has no string yet. */
export const badCode: i32 = 2;
