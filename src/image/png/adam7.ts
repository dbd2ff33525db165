/** Every pixel of a pass: columns `left + across × i`, rows `top + down × j`. */
export interface PngPass {
  readonly left: number;
  readonly across: number;
  readonly top: number;
  readonly down: number;
  /** Size of the reduced picture. */
  readonly columns: number;
  readonly rows: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Start and step of each pass, across and down (PNG third edition §8.1). */
const grid = [
  [0, 8, 0, 8],
  [4, 8, 0, 8],
  [0, 4, 4, 8],
  [2, 4, 0, 4],
  [0, 2, 2, 4],
  [1, 2, 0, 2],
  [0, 1, 1, 2],
] as const;

/** The passes of an interlaced picture in their order; those without pixels have no bytes either and are left out. */
export function adam7Passes({ width, height }: Size): readonly PngPass[] {
  return grid
    .map(([left, across, top, down]) => ({
      left,
      across,
      top,
      down,
      columns: Math.ceil(Math.max(0, width - left) / across),
      rows: Math.ceil(Math.max(0, height - top) / down),
    }))
    .filter(({ columns, rows }) => columns > 0 && rows > 0);
}
