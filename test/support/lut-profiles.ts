import { fixed, halves, join, profile, type Tag, text, words } from './icc.ts';

/** Numbers of 0–1 at each point of a grid, of which the first direction varies most slowly. */
type PointCodes = (position: readonly number[]) => readonly number[];

interface LutProfile {
  readonly space: 'CMYK' | 'RGB ' | 'GRAY';
  readonly connection: 'Lab ' | 'XYZ ';
  /** Default: a printer, `prtr`. */
  readonly deviceClass?: string;
  /** Default: 2. */
  readonly version?: 2 | 4;
  readonly tags: Readonly<Record<string, Tag>>;
}

/** A profile of lookup tables, with whatever its tags say. */
export function lutProfile(options: LutProfile): Uint8Array<ArrayBuffer> {
  const icc = profile(options.space, options.tags);
  icc.set(text(options.connection), 20);
  icc.set(text(options.deviceClass ?? 'prtr'), 12);
  icc[8] = options.version ?? 2;
  return icc;
}

/** Codes of L*, a* and b* in tables of 8 bits, and in those of version 4 (ICC.1:2022 §6.3.4.2, §10.10). */
export const labCodes: PointCodes = ([l = 0, a = 0, b = 0]) => [
  l / 100,
  (a + 128) / 255,
  (b + 128) / 255,
];
/** The same in tables of `mft2`, where white is 0xff00. */
export const labCodes16: PointCodes = ([l = 0, a = 0, b = 0]) => [
  (l * 652.8) / 65535,
  ((a + 128) * 256) / 65535,
  ((b + 128) * 256) / 65535,
];
/** Codes of X, Y and Z, where 1 is 0x8000. */
export const xyzCodes: PointCodes = (xyz) => xyz.map((value) => (value * 32768) / 65535);

interface Grid {
  readonly inputs: number;
  readonly outputs: number;
  readonly points: number;
  readonly codes: PointCodes;
}

/** `mft1` or `mft2`, whose tables before and behind the grid are straight unless stated. */
export function table(
  bits: 8 | 16,
  grid: Grid & {
    readonly before?: (code: number) => number;
    readonly behind?: (code: number) => number;
    readonly entries?: number;
  },
): Tag {
  const { inputs, outputs, points, before = same, behind = same } = grid;
  const entries = bits === 8 ? 256 : (grid.entries ?? 64);
  const samples = (curve: (code: number) => number, count: number) =>
    Array.from({ length: count * entries }, (_, i) => curve((i % entries) / (entries - 1)));
  const numbers = bits === 8 ? bytesOf : wordsOf;
  return join(
    text(bits === 8 ? 'mft1' : 'mft2'),
    words(0),
    Uint8Array.of(inputs, outputs, points, 0),
    fixed(1, 0, 0, 0, 1, 0, 0, 0, 1),
    bits === 8 ? new Uint8Array() : halves(entries, entries),
    numbers(samples(before, inputs)),
    numbers(gridCodes(grid)),
    numbers(samples(behind, outputs)),
  );
}

/** `mAB ` with all of its elements: curves, grid, curves, matrix, curves. */
export function elements(
  grid: Grid & {
    readonly bits: 8 | 16;
    readonly a: Tag;
    readonly m?: { readonly curve: Tag; readonly matrix: readonly number[] };
    readonly b: Tag;
    readonly type?: 'mAB ' | 'mBA ';
  },
): Tag {
  const { inputs, outputs, points, bits, a, m, b, type = 'mAB ' } = grid;
  const device = type === 'mAB ' ? inputs : outputs;
  const curves = (curve: Tag, count: number) =>
    join(...Array.from({ length: count }, () => padded(curve)));
  const bCurves = curves(b, 3);
  const matrix = m ? fixed(...m.matrix) : new Uint8Array();
  const mCurves = m ? curves(m.curve, 3) : new Uint8Array();
  const clut = padded(
    join(
      Uint8Array.from({ length: 16 }, (_, i) => (i < inputs ? points : 0)),
      Uint8Array.of(bits / 8, 0, 0, 0),
      (bits === 8 ? bytesOf : wordsOf)(gridCodes(grid)),
    ),
  );
  const aCurves = curves(a, device);
  const bAt = 32;
  const matrixAt = bAt + bCurves.length;
  const mAt = matrixAt + matrix.length;
  const clutAt = mAt + mCurves.length;
  const aAt = clutAt + clut.length;
  return join(
    text(type),
    words(0),
    Uint8Array.of(inputs, outputs, 0, 0),
    words(bAt, m ? matrixAt : 0, m ? mAt : 0, clutAt, aAt),
    ...[bCurves, matrix, mCurves, clut, aCurves],
  );
}

function gridCodes({ inputs, points, codes }: Grid): number[] {
  return Array.from({ length: points ** inputs }, (_, index) =>
    codes(
      Array.from(
        { length: inputs },
        (_, axis) => (Math.floor(index / points ** (inputs - 1 - axis)) % points) / (points - 1),
      ),
    ),
  ).flat();
}

const same = (code: number) => code;
const clipped = (code: number) => Math.min(Math.max(code, 0), 1);
const bytesOf = (codes: readonly number[]) =>
  Uint8Array.from(codes, (code) => Math.round(255 * clipped(code)));
const wordsOf = (codes: readonly number[]) =>
  Uint8Array.from(codes.flatMap((code) => [...halves(Math.round(65535 * clipped(code)))]));
const padded = (tag: Tag) => join(tag, new Uint8Array((4 - (tag.length % 4)) % 4));
