import { Deck } from './deck.ts';
import { FINISHES } from './finishes.ts';
import { type BallHit, meetBall, sunAt, surroundingsAt } from './light.ts';
import type { Noise } from './noise.ts';
import { faceOf, mirroredShare, passBall, reflect } from './optics.ts';
import { type Ball, type Color, SUN, type Surface, type Vector } from './scene.ts';
import { Sky } from './sky.ts';

const BOUNCES = 5;
/** A share of the light that may be left out: less than a step of 8 bits in the middle tones. */
const NEGLIGIBLE = 0.012;
const GLASS_MIRROR = 0.04;

/**
 * Follows rays into the scene (Whitted 1980, one branch): at each surface the light that it scatters
 * is added, and the ray goes on in the mirrored direction with the share that is mirrored there.
 *
 * Working values live in the object, not on the heap of each call: a picture takes millions.
 */
export class Tracer {
  readonly #sky: Sky;
  readonly #deck: Deck;
  readonly #noise: Noise;
  readonly #origin: Vector = { x: 0, y: 0, z: 0 };
  readonly #direction: Vector = { x: 0, y: 0, z: 1 };
  readonly #reflected: Vector = { x: 0, y: 0, z: 1 };
  readonly #hit: BallHit = { ball: undefined, distance: 0 };
  readonly #sun: Color = { r: 0, g: 0, b: 0 };
  readonly #light: Color = { r: 0, g: 0, b: 0 };
  readonly #share: Color = { r: 1, g: 1, b: 1 };
  readonly #surface: Surface = {
    point: { x: 0, y: 0, z: 0 },
    normal: { x: 0, y: 1, z: 0 },
    albedo: { r: 0, g: 0, b: 0 },
    mirror: { r: 0, g: 0, b: 0 },
  };

  constructor(noise: Noise) {
    this.#noise = noise;
    this.#sky = new Sky(noise);
    this.#deck = new Deck(noise);
  }

  /**
   * The light that comes along a ray, into `out`.
   *
   * @param direction unit vector
   * @param spread a pixel's width in radians
   * @returns the distance to what the ray meets first; infinite for the sky
   */
  trace(from: Vector, towards: Vector, spread: number, out: Color): number {
    const origin = Object.assign(this.#origin, from);
    const direction = Object.assign(this.#direction, towards);
    const share = this.#share;
    share.r = share.g = share.b = 1;
    out.r = out.g = out.b = 0;
    let first = Number.POSITIVE_INFINITY;
    let travelled = 0;
    let widening = spread;
    for (let bounce = 0; bounce < BOUNCES; bounce++) {
      const hit = this.#hit;
      meetBall(origin, direction, hit);
      const ground = groundDistance(origin, direction);
      const distance = Math.min(hit.distance, ground);
      if (bounce === 0) first = distance;
      if (distance === Number.POSITIVE_INFINITY) {
        this.#sky.look(direction, widening, this.#light);
        add(out, this.#light, share);
        return first;
      }
      travelled += distance;
      const footprint = travelled * widening;
      const { point } = this.#surface;
      point.x = origin.x + direction.x * distance;
      point.y = origin.y + direction.y * distance;
      point.z = origin.z + direction.z * distance;
      if (hit.ball !== undefined && hit.distance <= ground) {
        faceOf(hit.ball, this.#surface.point, this.#surface.normal);
        // Round mirrors and lenses spread a pixel's rays.
        widening = spread * 3;
        if (hit.ball.finish === 'glass') {
          this.#passGlass(hit.ball, widening, out);
          continue;
        }
        FINISHES[hit.ball.finish](this.#surface, hit.ball, this.#noise, footprint);
      } else {
        // Seen at a low angle, a pixel covers a long stretch of ground; half of the stretch is a
        // compromise between blurred texture across and shimmering texture along the ray.
        const slant = footprint / Math.sqrt(Math.max(0.02, -direction.y));
        if (point.y > -0.1) this.#deck.planks(this.#surface, slant);
        else this.#deck.water(this.#surface, slant);
      }
      this.#scatter(out);
      this.#mirror();
      if (Math.max(share.r, share.g, share.b) < NEGLIGIBLE) return first;
    }
    return first;
  }

  /** Adds the light that the surface scatters towards the ray. */
  #scatter(out: Color): void {
    const { point, normal, albedo } = this.#surface;
    if (albedo.r + albedo.g + albedo.b === 0) return;
    const light = this.#light;
    light.r = light.g = light.b = 0;
    surroundingsAt(point, normal, light);
    const cosine = normal.x * SUN.x + normal.y * SUN.y + normal.z * SUN.z;
    if (cosine > 0) {
      sunAt(point, this.#sun);
      light.r += this.#sun.r * cosine;
      light.g += this.#sun.g * cosine;
      light.b += this.#sun.b * cosine;
    }
    light.r *= albedo.r;
    light.g *= albedo.g;
    light.b *= albedo.b;
    add(out, light, this.#share);
  }

  /** Turns the ray and takes from it what is not mirrored. */
  #mirror(): void {
    const { point, normal, mirror } = this.#surface;
    const cosine = reflect(this.#direction, normal, this.#direction);
    this.#share.r *= mirroredShare(mirror.r, cosine);
    this.#share.g *= mirroredShare(mirror.g, cosine);
    this.#share.b *= mirroredShare(mirror.b, cosine);
    Object.assign(this.#origin, point);
  }

  /** Bends the ray through a ball of glass; what its face mirrors is taken from the sky alone. */
  #passGlass(ball: Ball, spread: number, out: Color): void {
    const { point, normal } = this.#surface;
    const direction = this.#direction;
    const share = this.#share;
    const cosine = reflect(direction, normal, this.#reflected);
    const mirrored = mirroredShare(GLASS_MIRROR, cosine);
    this.#reflected.y = Math.abs(this.#reflected.y);
    this.#sky.look(this.#reflected, spread, this.#light);
    this.#light.r *= mirrored;
    this.#light.g *= mirrored;
    this.#light.b *= mirrored;
    add(out, this.#light, share);
    share.r *= (1 - mirrored) * ball.tint.r;
    share.g *= (1 - mirrored) * ball.tint.g;
    share.b *= (1 - mirrored) * ball.tint.b;

    passBall(ball, point, direction);
    Object.assign(this.#origin, point);
  }
}

/** The distance to deck or lake; infinite for a ray that goes up. */
function groundDistance(origin: Vector, direction: Vector): number {
  if (direction.y >= -1e-5) return Number.POSITIVE_INFINITY;
  const deck = -origin.y / direction.y;
  if (deck > 1e-4 && Deck.covers(origin.x + direction.x * deck, origin.z + direction.z * deck))
    return deck;
  const water = (Deck.waterLevel - origin.y) / direction.y;
  return water > 1e-4 ? water : Number.POSITIVE_INFINITY;
}

function add(out: Color, light: Color, share: Color): void {
  out.r += light.r * share.r;
  out.g += light.g * share.g;
  out.b += light.b * share.b;
}
