import { clamp, mix, smoothstep } from '../arithmetic.ts';
import { type Noise, visibility } from './noise.ts';
import type { Surface } from './scene.ts';

const PLANK_WIDTH = 0.46;
const PLANK_LENGTH = 4.2;
const DECK_END = 6.2;
const WATER_LEVEL = -0.5;

/** The ground: weathered, varnished planks with a slanted end, and a lake behind them. */
export class Deck {
  readonly #noise: Noise;

  constructor(noise: Noise) {
    this.#noise = noise;
  }

  /** Whether the deck, and not the lake, lies under a point of the plane y = 0. */
  static covers(x: number, z: number): boolean {
    return alongPlanks(x, z) < DECK_END;
  }

  static readonly waterLevel = WATER_LEVEL;

  /** Sets normal, albedo and mirror of planks at `surface.point`; a pixel is `footprint` wide. */
  planks(surface: Surface, footprint: number): void {
    const { point, normal, albedo, mirror } = surface;
    const noise = this.#noise;
    const u = acrossPlanks(point.x, point.z);
    const v = alongPlanks(point.x, point.z);
    const plank = Math.floor(u / PLANK_WIDTH);
    const shifted = v + noise.at(plank, 7) * PLANK_LENGTH;
    const piece = Math.floor(shifted / PLANK_LENGTH);
    const inAcross = u - plank * PLANK_WIDTH;
    const inAlong = shifted - piece * PLANK_LENGTH;
    const tone = noise.at(plank, piece, 3);

    // Growth rings are the contour lines of a long-drawn height, bent outwards around a knot.
    const knotAcross = inAcross - PLANK_WIDTH * (0.2 + 0.6 * noise.at(plank, piece, 11));
    const knotAlong = (inAlong - PLANK_LENGTH * noise.at(plank, piece, 13)) * 0.3;
    const knot = 1 / (1 + (knotAcross * knotAcross + knotAlong * knotAlong) * 420);
    const seed = plank * 3.71 + piece * 9.13;
    const warp = noise.planeSum(u * 2.6 + seed, v * 0.5, 3, footprint * 3);
    const phase = (u * 9 + warp * 5.5 + knot * 3.4) * 1.6;
    const ring = 2 * Math.abs(phase - Math.floor(phase) - 0.5);
    const ringed = (ring * ring - 0.33) * visibility(footprint * 22);
    const fibre = noise.planeSum(u * 70 + warp * 20, v * 2.6 + seed, 4, footprint * 70) - 0.5;
    const stain = noise.planeSum(u * 1.7 + 40, v * 1.1, 4, footprint * 2) - 0.5;

    const light = clamp(
      0.5 + tone * 0.42 + ringed * 0.3 + fibre * 1.25 + stain * 0.75 - knot * 0.45,
      0.08,
      1.5,
    );
    const grey = clamp(0.3 + stain * 1.1 + tone * 0.25, 0, 1);
    albedo.r = light * mix(0.4, 0.33, grey);
    albedo.g = light * mix(0.205, 0.245, grey);
    albedo.b = light * mix(0.088, 0.18, grey);

    const edge = Math.min(
      Math.min(inAcross, PLANK_WIDTH - inAcross),
      Math.min(inAlong, PLANK_LENGTH - inAlong),
    );
    const gap =
      smoothstep(0.012 + footprint * 0.6, 0.004 - footprint * 0.6, edge) *
      clamp(0.014 / footprint, 0.25, 1);
    const keep = 1 - 0.9 * gap;
    albedo.r *= keep;
    albedo.g *= keep;
    albedo.b *= keep;

    // Rounded plank edges and raised fibres tilt the normal across the planks.
    const bevel = smoothstep(0.03, 0.008, edge) * visibility(footprint * 30);
    const tilt = fibre * 0.34 + (inAcross < PLANK_WIDTH / 2 ? -0.35 : 0.35) * bevel * (1 - gap);
    const wave = (noise.planeSum(u * 5, v * 2, 2, footprint * 5) - 0.5) * 0.03;
    setNormal(surface, ACROSS_X * tilt + wave, ACROSS_Z * tilt - wave);
    const varnish = (0.05 + 0.07 * smoothstep(0.02, 0.2, stain + tone * 0.1)) * keep;
    mirror.r = varnish;
    mirror.g = varnish;
    mirror.b = varnish;
    normal.y = Math.max(normal.y, 0.5);
  }

  /** Sets normal, albedo and mirror of the lake at `surface.point`. */
  water(surface: Surface, footprint: number): void {
    const { point, albedo, mirror } = surface;
    const noise = this.#noise;
    const x = point.x * 0.9;
    const z = point.z * 2.2;
    const width = footprint * 2;
    const swell = noise.planeSum(x, z, 5, width) - 0.5;
    const slopeX = noise.planeSum(x + 0.08, z, 5, width) - 0.5 - swell;
    const slopeZ = noise.planeSum(x, z + 0.08, 5, width) - 0.5 - swell;
    setNormal(surface, slopeX * 0.55, slopeZ * 0.95);
    albedo.r = 0.015;
    albedo.g = 0.05;
    albedo.b = 0.06;
    mirror.r = 0.06;
    mirror.g = 0.06;
    mirror.b = 0.06;
  }
}

// The planks run at an angle whose cosine and sine are exact: the triangle 7, 24, 25.
const ACROSS_X = 0.96;
const ACROSS_Z = 0.28;

function acrossPlanks(x: number, z: number): number {
  return ACROSS_X * x + ACROSS_Z * z;
}

function alongPlanks(x: number, z: number): number {
  return ACROSS_X * z - ACROSS_Z * x;
}

/** The unit normal of a horizontal surface that leans by the given slopes. */
function setNormal({ normal }: Surface, slopeX: number, slopeZ: number): void {
  const scale = 1 / Math.sqrt(1 + slopeX * slopeX + slopeZ * slopeZ);
  normal.x = slopeX * scale;
  normal.y = scale;
  normal.z = slopeZ * scale;
}
