/** Horizontal and vertical sampling factors of the components. */
export type Factors = readonly (readonly [horizontal: number, vertical: number])[];

/** Of Cb and Cr with one block each in an MCU. */
export const chroma = [
  [1, 1],
  [1, 1],
] as const;

/** Samplings of YCbCr that cameras and programs write. */
export const colorSamplings = {
  '4:4:4': [[1, 1], ...chroma],
  '4:2:2': [[2, 1], ...chroma],
  '4:2:0': [[2, 2], ...chroma],
  '4:4:0': [[1, 2], ...chroma],
  '4:1:1': [[4, 1], ...chroma],
  '4:1:0': [[4, 2], ...chroma],
} as const satisfies Record<string, Factors>;
