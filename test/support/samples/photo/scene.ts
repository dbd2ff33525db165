/** A point or a direction: x to the right, y up, z away from the camera; one unit is a metre. */
export interface Vector {
  x: number;
  y: number;
  z: number;
}

/** Linear light, 1 being a white surface in full sun. */
export interface Color {
  r: number;
  g: number;
  b: number;
}

export type Finish = 'chrome' | 'copper' | 'glass' | 'agate' | 'orange' | 'lacquer' | 'glaze';

export interface Ball extends Vector {
  readonly radius: number;
  readonly finish: Finish;
  /** The light that the ball throws back on its neighbourhood. */
  readonly tint: Color;
}

/** What a ray has met: the point, its normal, and how the surface treats light there. */
export interface Surface {
  readonly point: Vector;
  readonly normal: Vector;
  /** Share of light scattered in all directions. */
  readonly albedo: Color;
  /** Share of light mirrored at normal incidence; Schlick's formula takes it from there. */
  readonly mirror: Color;
}

/** Towards the sun, a unit vector: behind the balls to the left, low enough for long shadows. */
export const SUN: Vector = { x: -0.64, y: 0.48, z: 0.6 };

export const SUNLIGHT: Color = { r: 3.3, g: 2.45, b: 1.6 };

const CHROME = { r: 0.7, g: 0.7, b: 0.72 };
const COPPER = { r: 0.9, g: 0.5, b: 0.3 };
const CLEAR = { r: 0.8, g: 0.86, b: 0.86 };
const AGATE = { r: 0.12, g: 0.32, b: 0.5 };
const PEEL = { r: 0.9, g: 0.38, b: 0.04 };
const RED = { r: 0.62, g: 0.03, b: 0.04 };
const TEAL = { r: 0.06, g: 0.42, b: 0.38 };

/** All balls lie on the deck, y = 0; the far ones give the lens something to blur. */
export const BALLS: readonly Ball[] = [
  ball(-1.62, 0.75, 1.05, 'chrome', CHROME),
  ball(0.42, 0.35, 0.86, 'agate', AGATE),
  ball(2.02, -0.25, 0.58, 'copper', COPPER),
  ball(-0.52, -0.75, 0.42, 'orange', PEEL),
  ball(0.78, -1.35, 0.36, 'glass', CLEAR),
  ball(-1.95, -1.15, 0.4, 'lacquer', RED),
  ball(1.72, -1.5, 0.2, 'glaze', TEAL),
  ball(0.06, -1.78, 0.15, 'chrome', CHROME),
  ball(2.3, -1.3, 0.13, 'orange', PEEL),
  ball(3.7, 4.6, 0.85, 'lacquer', RED),
  ball(-4.3, 4.2, 0.7, 'glaze', TEAL),
  ball(1.3, 4.9, 0.45, 'orange', PEEL),
];

function ball(x: number, z: number, radius: number, finish: Finish, tint: Color): Ball {
  return { x, y: radius, z, radius, finish, tint };
}
