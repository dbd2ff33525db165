/** Why coefficients could not be coded; the first reason of a run is kept. */

export const codable: i32 = 0;
/** An AC coefficient beyond ±1023: Huffman coding of 8-bit samples has no size above 10 (ITU-T T.81 table F.2). */
export const wideCoefficient: i32 = 1;
/** A DC difference beyond ±2047: no size above 11 (T.81 table F.1). */
export const wideDifference: i32 = 2;
/** A symbol was to be written for which the host has given no code. */
export const missingCode: i32 = 3;

let reason: i32 = codable;

export function beginFailure(): void {
  reason = codable;
}

export function fail(why: i32): void {
  if (reason === codable) reason = why;
}

/** @returns `codable`, `wideCoefficient`, `wideDifference` or `missingCode` */
export function codingFailure(): i32 {
  return reason;
}
