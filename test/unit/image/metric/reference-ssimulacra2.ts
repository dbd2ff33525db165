import { srgbLight } from '../../../../src/image/color/curves.ts';
import { type ScaleSums, scoreOf, sumsPerScale } from '../../../../src/image/metric/score.ts';
import type { Raster } from '../../../../src/image/pixels/raster.ts';

/**
 * SSIMULACRA2 in float64, plainly: whole planes, and the recursive filter as its paper has it (D. Charalampidis,
 * "Recursive Implementation of the Gaussian Filter Using Truncated Cosine Functions", 2016; equations in brackets).
 * Alpha is not looked at. Pictures need six scales, so their sides are at least 225 pixels.
 */
export function referenceScore(reference: Raster, coded: Raster): number | null {
  const scales: ScaleSums[] = [];
  let pair = [linear(reference), linear(coded)] as const;
  for (let scale = 0; scale < 6; scale += 1) {
    if (scale > 0) pair = [halved(pair[0]), halved(pair[1])];
    scales.push(errorsOf(xyb(pair[0]), xyb(pair[1])));
  }
  return scoreOf(scales);
}

type Plane = Float64Array<ArrayBuffer>;

interface Planes {
  readonly width: number;
  readonly height: number;
  readonly planes: readonly [Plane, Plane, Plane];
}

function linear({ width, height, data }: Raster): Planes {
  const plane = (channel: number) =>
    Float64Array.from({ length: width * height }, (_, i) =>
      srgbLight((data[4 * i + channel] ?? 0) / 255),
    );
  return { width, height, planes: [plane(0), plane(1), plane(2)] };
}

function halved({ width, height, planes }: Planes): Planes {
  const [across, down] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  const half = (plane: Plane): Plane => {
    const at = (x: number, y: number) =>
      plane[Math.min(y, height - 1) * width + Math.min(x, width - 1)] ?? 0;
    return Float64Array.from({ length: across * down }, (_, i) => {
      const [x, y] = [2 * (i % across), 2 * Math.floor(i / across)];
      return (at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1)) / 4;
    });
  };
  return {
    width: across,
    height: down,
    planes: [half(planes[0]), half(planes[1]), half(planes[2])],
  };
}

const bias = 0.0037930732552754493;

function xyb({ width, height, planes: [red, green, blue] }: Planes): Planes {
  const cone = (ofRed: number, ofGreen: number) =>
    red.map((sample, i) => {
      const warm = ofRed * sample + ofGreen * (green[i] ?? 0);
      return Math.cbrt(warm + (1 - ofRed - ofGreen) * (blue[i] ?? 0) + bias) - Math.cbrt(bias);
    });
  const [long, middle] = [cone(0.3, 0.622), cone(0.23, 0.692)];
  const short = cone(0.24342268924547819, 0.20476744424496821);
  const x = long.map((sample, i) => 7 * (sample - (middle[i] ?? 0)) + 0.42);
  const y = long.map((sample, i) => (sample + (middle[i] ?? 0)) / 2);
  const b = short.map((sample, i) => sample - (y[i] ?? 0) + 0.55);
  return { width, height, planes: [x, y.map((sample) => sample + 0.01), b] };
}

function errorsOf(a: Planes, b: Planes): ScaleSums {
  const { width, height } = a;
  const errors = new Float64Array(sumsPerScale);
  const add = (at: number, error: number) => {
    errors[at] = (errors[at] ?? 0) + error;
    errors[at + 1] = (errors[at + 1] ?? 0) + error ** 4;
  };
  for (const channel of [0, 1, 2] as const) {
    const [one, other] = [a.planes[channel], b.planes[channel]];
    const blur = (of: (p: number, q: number) => number) =>
      blurred(
        one.map((p, i) => of(p, other[i] ?? 0)),
        width,
        height,
      );
    const means = [blur((p) => p), blur((_, q) => q)] as const;
    const squares = [blur((p) => p * p), blur((_, q) => q * q)] as const;
    const products = blur((p, q) => p * q);
    for (let i = 0; i < one.length; i += 1) {
      const [m, n] = [means[0][i] ?? 0, means[1][i] ?? 0];
      const variances = (squares[0][i] ?? 0) - m * m + (squares[1][i] ?? 0) - n * n;
      const common = 2 * ((products[i] ?? 0) - m * n);
      add(
        6 * channel,
        Math.max(0, 1 - ((1 - (m - n) ** 2) * (common + 9e-4)) / (variances + 9e-4)),
      );
      const edges = [Math.abs((one[i] ?? 0) - m), Math.abs((other[i] ?? 0) - n)] as const;
      const change = (1 + edges[1]) / (1 + edges[0]) - 1;
      add(6 * channel + 2, Math.max(0, change));
      add(6 * channel + 4, Math.max(0, -change));
    }
  }
  return { pixels: width * height, errors };
}

function blurred(plane: Plane, width: number, height: number): Plane {
  const result = Float64Array.from(plane);
  for (let y = 0; y < height; y += 1) blurLine(result, y * width, 1, width);
  for (let x = 0; x < width; x += 1) blurLine(result, x, width, height);
  return result;
}

const sigma = 1.5;
const radius = Math.round(3.2795 * sigma + 0.2546); // (57)
const omegas = [1, 3, 5].map((k) => (k * Math.PI) / (2 * radius));
const betas = amplitudes();

/** The amplitudes of the three cosines (53), by Cramer's rule. */
function amplitudes(): readonly number[] {
  const p = omegas.map((omega, i) => (i === 1 ? -1 : 1) / Math.tan(omega / 2)); // (37)
  const r = omegas.map((omega, i) => ((i === 1 ? -1 : 1) * (p[i] ?? 0) ** 2) / Math.sin(omega)); // (44)
  const rho = omegas.map((omega) => Math.exp((-sigma * sigma * omega * omega) / 2) / radius); // (50)
  const d = (i: number, j: number) => (p[i] ?? 0) * (r[j] ?? 0) - (r[i] ?? 0) * (p[j] ?? 0); // (52)
  const zeta = [d(1, 2) / d(0, 1), d(2, 0) / d(0, 1), 1];
  const last = zeta.reduce((sum, share, i) => sum + share * (rho[i] ?? 0), 0);
  const right = [1, radius * radius - sigma * sigma, last]; // (55)
  const rows = [p, r, zeta]; // (56)
  const whole = determinant(rows);
  return omegas.map(
    (_, k) =>
      determinant(rows.map((row, j) => row.map((v, i) => (i === k ? (right[j] ?? 0) : v)))) / whole,
  );
}

function determinant(rows: readonly (readonly number[])[]): number {
  const at = (i: number, j: number) => rows[i]?.[j % 3] ?? 0;
  return [0, 1, 2].reduce(
    (sum, j) => sum + at(0, j) * (at(1, j + 1) * at(2, j + 2) - at(1, j + 2) * at(2, j + 1)),
    0,
  );
}

/** The recursion (35), in place, with zeros around the line. */
function blurLine(plane: Plane, start: number, step: number, length: number): void {
  const line = Array.from({ length }, (_, i) => plane[start + i * step] ?? 0);
  const states = omegas.map(() => [0, 0] as [number, number]);
  for (let n = 1 - radius; n < length; n += 1) {
    const sum = (line[n - radius - 1] ?? 0) + (line[n + radius - 1] ?? 0);
    let value = 0;
    for (const [k, state] of states.entries()) {
      const omega = omegas[k] ?? 0;
      const input = -(betas[k] ?? 0) * Math.cos(omega * (radius + 1)) * sum; // (33)
      const next = input + 2 * Math.cos(omega) * state[0] - state[1];
      state[1] = state[0];
      state[0] = next;
      value += next;
    }
    if (n >= 0) plane[start + n * step] = value;
  }
}
