/** Width and height in pixels. */
export type Size = readonly [width: number, height: number];

/**
 * Demands a property of a file.
 * @throws RangeError if it does not hold, as reads beyond the end of a file do
 */
export function verified(holds: boolean, complaint: string): asserts holds {
  if (!holds) throw new RangeError(complaint);
}
