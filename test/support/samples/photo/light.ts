import { smoothstep } from '../arithmetic.ts';
import { BALLS, type Ball, type Color, SUN, SUNLIGHT, type Vector } from './scene.ts';

/** The sun's apparent radius in radians; nine times the true one, as through thin haze. */
const SUN_RADIUS = 0.042;

/**
 * The distance along a ray (unit direction) to the nearest ball, and that ball.
 * `ball` is undefined and `distance` infinite when there is none.
 */
export interface BallHit {
  ball: Ball | undefined;
  distance: number;
}

export function meetBall(origin: Vector, direction: Vector, hit: BallHit): void {
  hit.ball = undefined;
  hit.distance = Number.POSITIVE_INFINITY;
  for (const ball of BALLS) {
    const x = ball.x - origin.x;
    const y = ball.y - origin.y;
    const z = ball.z - origin.z;
    const along = x * direction.x + y * direction.y + z * direction.z;
    if (along <= 0) continue;
    const root = ball.radius * ball.radius - (x * x + y * y + z * z - along * along);
    if (root <= 0) continue;
    const distance = along - Math.sqrt(root);
    if (distance > 1e-4 && distance < hit.distance) {
      hit.distance = distance;
      hit.ball = ball;
    }
  }
}

/**
 * The sun's light at a point, before the cosine of incidence.
 *
 * Soft shadows without noise: the cone from the point to the sun's disc is as wide as
 * SUN_RADIUS × distance where it passes a ball; the part of that width inside the ball is dark.
 */
export function sunAt(point: Vector, out: Color): void {
  let r = SUNLIGHT.r;
  let g = SUNLIGHT.g;
  let b = SUNLIGHT.b;
  for (const ball of BALLS) {
    const x = ball.x - point.x;
    const y = ball.y - point.y;
    const z = ball.z - point.z;
    const along = x * SUN.x + y * SUN.y + z * SUN.z;
    if (along <= 0) continue;
    const across = Math.sqrt(Math.max(0, x * x + y * y + z * z - along * along));
    const cone = SUN_RADIUS * along;
    if (across > ball.radius + cone) continue;
    const lit = smoothstep(-cone, cone, across - ball.radius);
    if (ball.finish === 'glass') {
      // A ball of glass gathers the light it takes from the rim of its shadow in the middle of it.
      const middle = 1 - Math.min(1, across / ball.radius);
      const focus = 0.25 + 5.5 * middle * middle * middle;
      r *= lit + (1 - lit) * focus;
      g *= lit + (1 - lit) * focus * 1.03;
      b *= lit + (1 - lit) * focus * 1.02;
    } else {
      r *= lit;
      g *= lit;
      b *= lit;
    }
  }
  out.r = r;
  out.g = g;
  out.b = b;
}

/**
 * The light of sky and deck that reaches a surface from all sides, adding up to `out`.
 *
 * A ball covers the share cos θ · r² ∕ d² of what a surface sees (the form factor of a sphere wholly
 * above the horizon, Howell's catalogue) and replaces it by a little of its own colour.
 */
export function surroundingsAt(point: Vector, normal: Vector, out: Color): void {
  const up = 0.5 + 0.5 * normal.y;
  // Blue from above, warmer from the glow around the sun, wood-coloured from below.
  const glow = 0.5 + 0.5 * (normal.x * SUN.x + normal.z * SUN.z);
  let open = 1;
  let r = 0;
  let g = 0;
  let b = 0;
  for (const ball of BALLS) {
    const x = ball.x - point.x;
    const y = ball.y - point.y;
    const z = ball.z - point.z;
    const square = x * x + y * y + z * z;
    const reach = ball.radius * ball.radius * 1.02;
    // Beyond six radii a ball hides less than 3 %; the one the point lies on is no obstacle.
    if (square > reach * 36 || square <= reach) continue;
    const cosine = (x * normal.x + y * normal.y + z * normal.z) / Math.sqrt(square);
    if (cosine <= 0) continue;
    const covered = (cosine * reach) / square;
    open *= 1 - covered;
    r += covered * ball.tint.r;
    g += covered * ball.tint.g;
    b += covered * ball.tint.b;
  }
  out.r += open * (0.16 + 0.34 * up + 0.3 * glow) + 0.22 * r;
  out.g += open * (0.11 + 0.42 * up + 0.17 * glow) + 0.22 * g;
  out.b += open * (0.08 + 0.58 * up + 0.08 * glow) + 0.22 * b;
}
