/** Compressed data of a stream, which stay with the host. */

/**
 * Copies the next bytes of a cursor's stream to `to`.
 * @param id the cursor's number, in the order in which cursors were allocated
 * @returns how many there were: at least one and at most `length`, and 0 behind the last
 */
export declare function readData(id: i32, to: usize, length: i32): i32;

/** Lets cursor `to` go on where cursor `from` is; with both the same number, begins anew. */
export declare function forkData(from: i32, to: i32): void;
