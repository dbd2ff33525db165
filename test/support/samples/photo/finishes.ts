import { mix, smoothstep } from '../arithmetic.ts';
import { type Noise, visibility } from './noise.ts';
import type { Ball, Color, Surface } from './scene.ts';

/** Sets `surface.albedo`, `surface.mirror` and the fine shape of `surface.normal`. */
type Paint = (surface: Surface, ball: Ball, noise: Noise, footprint: number) => void;

/** What each finish but glass, which the ray passes, does with the surface of a ball. */
export const FINISHES: Readonly<Record<Exclude<Ball['finish'], 'glass'>, Paint>> = {
  chrome({ albedo, mirror }) {
    set(albedo, 0, 0, 0);
    set(mirror, 0.86, 0.87, 0.89);
  },

  /** Metal turned on a lathe: fine grooves around the vertical axis, with a patina in places. */
  copper(surface, ball, noise, footprint) {
    const { point, normal, albedo, mirror } = surface;
    const height = (point.y - ball.y) / ball.radius;
    const grooves = visibility((footprint / ball.radius) * 60);
    normal.y += (noise.plane(height * 90, 0.5 + normal.x * 2) - 0.5) * 0.14 * grooves;
    unit(surface);
    const worn = noise.spaceSum(point.x * 5, point.y * 5, point.z * 5, 5, footprint * 5);
    const patina = smoothstep(0.55, 0.68, worn);
    set(albedo, mix(0.1, 0.16, patina), mix(0.045, 0.3, patina), mix(0.02, 0.26, patina));
    set(mirror, mix(0.9, 0.1, patina), mix(0.5, 0.1, patina), mix(0.28, 0.1, patina));
  },

  /** Polished stone: bands along the contour lines of warped noise, with fine white veins. */
  agate({ point, albedo, mirror }, _ball, noise, footprint) {
    const { x, y, z } = point;
    const warp = noise.spaceSum(x * 0.85 + 5, y * 1.3, z * 0.85, 6, footprint);
    const phase = warp * 7.5 + y * 1.6;
    const band = 2 * Math.abs(phase - Math.floor(phase) - 0.5);
    const vein = smoothstep(
      0.018,
      0.002,
      Math.abs(noise.spaceSum(x * 1.3, y * 1.3 + 9, z * 1.3, 6, footprint * 1.3) - 0.5),
    );
    const grain = noise.spaceSum(x * 38, y * 38, z * 38, 3, footprint * 38) - 0.5;
    const pale = Math.max(smoothstep(0.45, 1, band) * 0.6, vein * 0.75);
    const light = 1 + grain * 0.8;
    set(
      albedo,
      mix(0.015, 0.75, pale) * light,
      mix(0.13, 0.76, pale) * light,
      mix(0.3, 0.72, pale) * light,
    );
    set(mirror, 0.05, 0.05, 0.05);
  },

  /** The fruit: dimples, and a peel that is not the same everywhere. */
  orange(surface, ball, noise, footprint) {
    const { point, normal, albedo, mirror } = surface;
    const scale = 17 / ball.radius;
    // Turned twice by the angle of the triangle 3, 4, 5: face on, the lattice would show as squares.
    const x = (0.8 * point.x + 0.6 * point.z) * scale;
    const deeper = 0.8 * point.z - 0.6 * point.x;
    const y = (0.8 * point.y + 0.6 * deeper) * scale;
    const z = (0.8 * deeper - 0.6 * point.y) * scale;
    const deep = 0.42 * visibility(footprint * scale * 0.8);
    const here = noise.space(x, y, z);
    normal.x -= (noise.space(x + 0.35, y, z) - here) * deep;
    normal.y -= (noise.space(x, y + 0.35, z) - here) * deep;
    normal.z -= (noise.space(x, y, z + 0.35) - here) * deep;
    unit(surface);
    const ripe = noise.spaceSum(x * 0.07, y * 0.07, z * 0.07, 4, footprint * scale * 0.07);
    const pore = smoothstep(0.5, 0.1, here) * 0.16;
    set(albedo, 0.92 - pore * 0.4, mix(0.16, 0.4, ripe) - pore * 0.3, 0.018);
    set(mirror, 0.035, 0.035, 0.035);
  },

  /** Car paint: flakes of metal under a clear coat. */
  lacquer({ point, albedo, mirror }, ball, noise, footprint) {
    const scale = 150 / ball.radius;
    const seen = visibility(footprint * scale * 0.3);
    const flake =
      (noise.at(
        Math.floor(point.x * scale),
        Math.floor(point.y * scale),
        Math.floor(point.z * scale),
      ) -
        0.5) *
      seen;
    set(
      albedo,
      0.62 * (1 + flake * 0.9),
      0.018 + Math.max(0, flake) * 0.08,
      0.024 + Math.max(0, flake) * 0.06,
    );
    set(mirror, 0.06, 0.06, 0.06);
  },

  /** Pottery: a glaze that ran down in drops over paler clay. */
  glaze({ point, albedo, mirror }, ball, noise, footprint) {
    const height = (point.y - ball.y) / ball.radius;
    const scale = 4 / ball.radius;
    const run = noise.spaceSum(
      point.x * scale,
      height * 1.2,
      point.z * scale,
      4,
      footprint * scale,
    );
    const glazed = smoothstep(-0.42, -0.34, height + (run - 0.5) * 0.9);
    const speck = smoothstep(
      0.66,
      0.74,
      noise.spaceSum(
        point.x * scale * 7,
        point.y * scale * 7,
        point.z * scale * 7,
        2,
        footprint * scale * 7,
      ),
    );
    const light = (0.75 + run * 0.5) * (1 - speck * 0.6);
    set(
      albedo,
      mix(0.62, 0.02, glazed) * light,
      mix(0.47, 0.34, glazed) * light,
      mix(0.34, 0.34, glazed) * light,
    );
    const gloss = mix(0.02, 0.06, glazed);
    set(mirror, gloss, gloss, gloss);
  },
};

function set(color: Color, r: number, g: number, b: number): void {
  color.r = r;
  color.g = g;
  color.b = b;
}

function unit({ normal }: Surface): void {
  const scale = 1 / Math.sqrt(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z);
  normal.x *= scale;
  normal.y *= scale;
  normal.z *= scale;
}
