import { bytesPerRasterPixel } from '../../../pixels/raster.ts';
import type { RowSource } from '../../../pixels/row-source.ts';
import type { Slices } from '../../../slices.ts';
import { arena } from '../../../wasm/arena.ts';
import type { AvifChroma, Nclx } from '../container/properties.ts';
import { chromaSize, type Plane, type Planes, sampleBytes } from './planes.ts';

/** Matrix coefficients of ITU-T H.273: planes are green, blue and red. */
const identity = 0;

/** The weights of red and blue in luma (K_R, K_B), by matrix coefficients (ITU-T H.273 §8.3). */
const weights: ReadonlyMap<number, readonly [red: number, blue: number]> = new Map([
  [1, [0.2126, 0.0722]],
  // Unspecified, which decoders treat as BT.601.
  [2, [0.299, 0.114]],
  [4, [0.3, 0.11]],
  [5, [0.299, 0.114]],
  [6, [0.299, 0.114]],
  [7, [0.212, 0.087]],
  [9, [0.2627, 0.0593]],
]);

/** YCgCo: chroma is green against the others, and orange. */
const greenOrange = 8;

/** Whether planes with these matrix coefficients can be converted to RGB. */
export function isKnownMatrix(matrix: number, chroma: AvifChroma): boolean {
  return matrix === identity
    ? chroma === '444' || chroma === '400'
    : matrix === greenOrange || weights.has(matrix);
}

/** Fractional bits in the conversion to RGB. */
const precision = 16;
const half = 1 << (precision - 1);

type Samples = Uint8Array | Uint16Array;

/** Chroma is interpolated in sixteenths. */
const sixteenths = 16;

/**
 * The rows of decoded planes as RGBA of 8 bits with straight alpha. Subsampled chroma is interpolated linearly between
 * the two nearest samples in each direction, 3 : 1, as in libavif. Source: ITU-T H.273 §8.3.
 */
export class PlaneRows implements RowSource {
  readonly width: number;
  readonly height: number;
  readonly #planes: Planes;
  readonly #toRgb: (row: Uint8ClampedArray) => void;
  readonly #row: Uint8ClampedArray<ArrayBuffer>;
  readonly #bytes: Uint8Array;
  readonly #words: Uint16Array;
  /** Chroma for each pixel of a row, in sixteenths. */
  readonly #blue: Int32Array;
  readonly #red: Int32Array;
  /** Chroma interpolated between two rows, in quarters. */
  readonly #between: Int32Array;
  readonly #alphaCodes: Uint8Array | null;
  #luma: Samples = new Uint8Array();
  #y = 0;

  /** @param color its matrix coefficients must be known, see `isKnownMatrix` */
  constructor(planes: Planes, color: Nclx) {
    this.#planes = planes;
    this.width = planes.width;
    this.height = planes.height;
    this.#row = new Uint8ClampedArray(bytesPerRasterPixel * planes.width);
    this.#bytes = new Uint8Array(arena.memory.buffer);
    this.#words = new Uint16Array(arena.memory.buffer);
    const isGrey = planes.blue === null;
    this.#blue = new Int32Array(isGrey ? 0 : planes.width);
    this.#red = new Int32Array(isGrey ? 0 : planes.width);
    const sampled = chromaSize(planes, planes.chroma);
    this.#between = new Int32Array(sampled?.width ?? 0);
    this.#toRgb = isGrey
      ? this.#greyToRgb(color)
      : color.matrix === identity
        ? this.#identityToRgb(color)
        : this.#colorToRgb(color);
    const isPlain = planes.alpha?.fullRange && planes.alpha.bitDepth === 8;
    this.#alphaCodes = planes.alpha && !isPlain ? alphaCodes(planes.alpha) : null;
  }

  *start(): Slices<void> {
    this.#y = 0;
  }

  *next(): Slices<Uint8Array> {
    const { luma, blue, red, alpha, isPremultiplied } = this.#planes;
    const y = this.#y;
    const row = this.#row;
    this.#luma = this.#samples(luma, y, this.width);
    if (blue && red) {
      this.#interpolate(blue, y, this.#blue);
      this.#interpolate(red, y, this.#red);
    }
    this.#toRgb(row);
    if (alpha) this.#setAlpha(row, this.#samples(alpha, y, this.width));
    if (isPremultiplied) divideByAlpha(row);
    this.#y = y + 1;
    return new Uint8Array(row.buffer, 0, row.length);
  }

  /** Nothing to check: everything was decoded before the first row. */
  *end(): Slices<void> {}

  #samples({ at, stride, bitDepth }: Plane, y: number, width: number): Samples {
    const start = (at + y * stride) / sampleBytes(bitDepth);
    return (bitDepth > 8 ? this.#words : this.#bytes).subarray(start, start + width);
  }

  /** Interpolates a chroma plane for each pixel of row `y`. */
  #interpolate(plane: Plane, y: number, result: Int32Array): void {
    const { chroma } = this.#planes;
    const between = this.#between;
    const sampledWidth = between.length;
    const isHalved = chroma === '420';
    const near = this.#samples(plane, isHalved ? y >> 1 : y, sampledWidth);
    const far = isHalved ? this.#samples(plane, otherSample(y, this.height), sampledWidth) : near;
    for (let x = 0; x < sampledWidth; x += 1) between[x] = 3 * (near[x] ?? 0) + (far[x] ?? 0);
    const { width } = this;
    if (chroma === '444') {
      for (let x = 0; x < width; x += 1) result[x] = 4 * (between[x] ?? 0);
      return;
    }
    for (let x = 0; x < width; x += 1) {
      result[x] = 3 * (between[x >> 1] ?? 0) + (between[otherSample(x, width)] ?? 0);
    }
  }

  #colorToRgb({ matrix, fullRange }: Nclx): (row: Uint8ClampedArray) => void {
    const { bitDepth } = this.#planes.luma;
    const range = fullRange ? 2 ** bitDepth - 1 : 224 << (bitDepth - 8);
    const unit = ((255 / range) * (1 << precision)) / sixteenths;
    const [redByBlue, redByRed, greenByBlue, greenByRed, blueByBlue, blueByRed] = (
      matrix === greenOrange ? [-1, 1, 1, 0, -1, -1] : byWeights(weights.get(matrix) ?? [0, 0])
    ).map((factor) => factor * unit) as Factors;
    const brightness = scaledCodes(bitDepth, fullRange);
    const neutral = sixteenths << (bitDepth - 1);
    return (row) => {
      for (let x = 0, i = 0; x < this.width; x += 1, i += 4) {
        const light = brightness[this.#luma[x] ?? 0] ?? 0;
        const b = (this.#blue[x] ?? 0) - neutral;
        const r = (this.#red[x] ?? 0) - neutral;
        row[i] = (light + redByBlue * b + redByRed * r) >> precision;
        row[i + 1] = (light + greenByBlue * b + greenByRed * r) >> precision;
        row[i + 2] = (light + blueByBlue * b + blueByRed * r) >> precision;
        row[i + 3] = 255;
      }
    };
  }

  /** Converts planes of green, blue and red. */
  #identityToRgb({ fullRange }: Nclx): (row: Uint8ClampedArray) => void {
    const codes = scaledCodes(this.#planes.luma.bitDepth, fullRange);
    const shift = Math.log2(sixteenths);
    return (row) => {
      for (let x = 0, i = 0; x < this.width; x += 1, i += 4) {
        row[i] = (codes[(this.#red[x] ?? 0) >> shift] ?? 0) >> precision;
        row[i + 1] = (codes[this.#luma[x] ?? 0] ?? 0) >> precision;
        row[i + 2] = (codes[(this.#blue[x] ?? 0) >> shift] ?? 0) >> precision;
        row[i + 3] = 255;
      }
    };
  }

  #greyToRgb({ fullRange }: Nclx): (row: Uint8ClampedArray) => void {
    const codes = scaledCodes(this.#planes.luma.bitDepth, fullRange);
    return (row) => {
      for (let x = 0, i = 0; x < this.width; x += 1, i += 4) {
        row.fill((codes[this.#luma[x] ?? 0] ?? 0) >> precision, i, i + 3);
        row[i + 3] = 255;
      }
    };
  }

  #setAlpha(row: Uint8ClampedArray, cover: Samples): void {
    const codes = this.#alphaCodes;
    for (let x = 0, i = 3; x < cover.length; x += 1, i += 4) {
      const code = cover[x] ?? 0;
      row[i] = codes ? (codes[code] ?? 0) : code;
    }
  }
}

/** Index of the second-nearest chroma sample of a pixel, if each one covers two; at an edge, of the nearest. */
function otherSample(at: number, length: number): number {
  const isOdd = (at & 1) === 1;
  if (at === 0 || (isOdd && at === length - 1)) return at >> 1;
  return (at >> 1) + (isOdd ? 1 : -1);
}

/** How much of the difference of blue, and of red, from gray is in red, green and blue. */
type Factors = [
  ...[redByBlue: number, redByRed: number, greenByBlue: number, greenByRed: number],
  ...[blueByBlue: number, blueByRed: number],
];

function byWeights([red, blue]: readonly [red: number, blue: number]): Factors {
  const green = 1 - red - blue;
  const [ofRed, ofBlue] = [2 * (1 - red), 2 * (1 - blue)];
  return [0, ofRed, (-blue * ofBlue) / green, (-red * ofRed) / green, ofBlue, 0];
}

/** Luma values in units of 2^-16 of 8-bit codes, plus one half for rounding. */
function scaledCodes(bitDepth: number, fullRange: boolean): Int32Array {
  const [black, range] = fullRange
    ? [0, 2 ** bitDepth - 1]
    : [16 << (bitDepth - 8), 219 << (bitDepth - 8)];
  const scale = (255 << precision) / range;
  return Int32Array.from({ length: 2 ** bitDepth }, (_, code) =>
    Math.round((code - black) * scale + half),
  );
}

/** Table from samples of alpha to 8-bit codes. */
function alphaCodes({ bitDepth, fullRange }: NonNullable<Planes['alpha']>): Uint8Array {
  const codes = scaledCodes(bitDepth, fullRange).map((code) => code >> precision);
  return Uint8Array.from(new Uint8ClampedArray(codes));
}

/** Makes premultiplied alpha straight. */
function divideByAlpha(row: Uint8ClampedArray): void {
  for (let i = 0; i < row.length; i += 4) {
    const alpha = row[i + 3] ?? 0;
    if (alpha === 255) continue;
    const factor = alpha === 0 ? 0 : 255 / alpha;
    for (let j = i; j < i + 3; j += 1) row[j] = (row[j] ?? 0) * factor;
  }
}
