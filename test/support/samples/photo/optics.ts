import type { Ball, Vector } from './scene.ts';

/** The refractive index of glass before that of air. */
const GLASS_INDEX = 1.5;

/** The normal of a ball at a point of its face, into `out`. */
export function faceOf(ball: Ball, point: Vector, out: Vector): void {
  out.x = (point.x - ball.x) / ball.radius;
  out.y = (point.y - ball.y) / ball.radius;
  out.z = (point.z - ball.z) / ball.radius;
}

/** The share of light that is mirrored, from the share at normal incidence (Schlick 1994). */
export function mirroredShare(atNormal: number, cosine: number): number {
  const rest = 1 - cosine;
  return atNormal + (1 - atNormal) * rest * rest * rest * rest * rest;
}

/**
 * Leads a ray that meets a ball of glass at `point` through it: both are moved to where and how it
 * leaves. By symmetry it does leave; there is no total reflection for light from outside.
 */
export function passBall(ball: Ball, point: Vector, direction: Vector): void {
  faceOf(ball, point, face);
  bend(direction, face, 1 / GLASS_INDEX);
  const inner = -(direction.x * face.x + direction.y * face.y + direction.z * face.z);
  const chord = 2 * ball.radius * inner;
  point.x += direction.x * chord;
  point.y += direction.y * chord;
  point.z += direction.z * chord;
  faceOf(ball, point, face);
  face.x = -face.x;
  face.y = -face.y;
  face.z = -face.z;
  bend(direction, face, GLASS_INDEX);
}

const face: Vector = { x: 0, y: 1, z: 0 };

/** The mirrored direction into `out`, which may be `direction`; returns the cosine of incidence. */
export function reflect(direction: Vector, normal: Vector, out: Vector): number {
  const against = -(direction.x * normal.x + direction.y * normal.y + direction.z * normal.z);
  out.x = direction.x + 2 * against * normal.x;
  out.y = direction.y + 2 * against * normal.y;
  out.z = direction.z + 2 * against * normal.z;
  return Math.min(1, Math.abs(against));
}

/** Snell's law in vector form; `ratio` is the index before the surface by the index behind it. */
function bend(direction: Vector, normal: Vector, ratio: number): void {
  const cosine = -(direction.x * normal.x + direction.y * normal.y + direction.z * normal.z);
  const behind = Math.sqrt(Math.max(0, 1 - ratio * ratio * (1 - cosine * cosine)));
  const turn = ratio * cosine - behind;
  direction.x = ratio * direction.x + turn * normal.x;
  direction.y = ratio * direction.y + turn * normal.y;
  direction.z = ratio * direction.z + turn * normal.z;
}
