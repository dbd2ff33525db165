import { clamp, mix, smoothstep } from '../arithmetic.ts';
import type { Noise } from './noise.ts';
import { type Color, SUN, type Vector } from './scene.ts';

/** An evening sky with clouds over three ranges of hazy hills, seen in any direction. */
export class Sky {
  readonly #noise: Noise;

  constructor(noise: Noise) {
    this.#noise = noise;
  }

  /**
   * The light from a direction.
   *
   * @param direction unit vector
   * @param footprint a pixel's width in radians
   */
  look(direction: Vector, footprint: number, out: Color): void {
    const height = Math.max(0, direction.y);
    const toSun = Math.max(0, direction.x * SUN.x + direction.y * SUN.y + direction.z * SUN.z);
    const level = 1 - height;
    const low = level * level * level * level * level;
    const towards = toSun * toSun;
    out.r = mix(0.09, mix(0.5, 1.3, towards), low);
    out.g = mix(0.22, mix(0.46, 0.66, towards), low);
    out.b = mix(0.52, mix(0.6, 0.34, towards), low);
    if (height > 0.012) this.#clouds(direction, height, towards, footprint, out);
    const flat = Math.sqrt(direction.x * direction.x + direction.z * direction.z);
    if (direction.y < 0.16 * flat) this.#hills(direction, flat, footprint, towards, out);
    const wide = towards * towards * towards * towards;
    const halo = wide * wide * wide * 0.9;
    // A disc of about 3° in radius, its rim soft: only mirrors show it, and these without jags.
    const disc = 26 * smoothstep(0.9975, 0.9992, toSun);
    out.r += wide * 0.3 + halo + disc;
    out.g += wide * 0.17 + halo * 0.72 + disc * 0.86;
    out.b += wide * 0.05 + halo * 0.4 + disc * 0.62;
  }

  #clouds(direction: Vector, height: number, towards: number, footprint: number, out: Color): void {
    const stretch = 1 / (height + 0.09);
    const x = direction.x * stretch * 1.25 + 3.7;
    const z = direction.z * stretch * 2.1 + 1.2;
    const width = footprint * stretch * 2.1;
    const warp = this.#noise.plane(x * 0.7, z * 0.7) * 1.2;
    const density = this.#noise.planeSum(x + warp, z - warp * 0.6, 6, width);
    const cover = smoothstep(0.47, 0.78, density) * smoothstep(0.012, 0.1, height);
    if (cover <= 0) return;
    // Thick parts let less light through: grey-violet below, rosy and golden near the sun.
    const thick = smoothstep(0.56, 0.86, density);
    const share = cover * 0.92;
    out.r = mix(out.r, mix(0.95, 0.36, thick) + towards * 0.75, share);
    out.g = mix(out.g, mix(0.66, 0.3, thick) + towards * 0.3, share);
    out.b = mix(out.b, mix(0.6, 0.4, thick) - towards * 0.1, share);
  }

  #hills(direction: Vector, flat: number, footprint: number, towards: number, out: Color): void {
    // A quadrilateral's perimeter in place of the angle: as continuous, and free of arctangents.
    const around = direction.x / (Math.abs(direction.x) + Math.abs(direction.z));
    const side = direction.z < 0 ? 40 : 0;
    const slope = direction.y / flat;
    for (let range = 0; range < 3; range++) {
      const near = range / 2;
      const shape = this.#noise.planeSum(
        around * (5 + 3.5 * range) + side,
        range * 31.7,
        6,
        footprint * 9,
      );
      const top = 0.03 - 0.018 * near + (shape - 0.38) * (0.2 - 0.07 * range);
      const cover = clamp((top - slope) / (footprint + 0.0008) + 0.5, 0, 1);
      if (cover === 0) continue;
      const forest =
        this.#noise.planeSum(around * 90 + side, slope * 150, 3, footprint * 120) - 0.5;
      const mist = smoothstep(top, top - 0.11, slope) * 0.45 * (1 - near * 0.6);
      const light = 1 + forest * 0.9 * near;
      out.r = mix(
        out.r,
        (mix(0.3, 0.04, near) + mist * 0.7) * light + towards * 0.12 * (1 - near),
        cover,
      );
      out.g = mix(
        out.g,
        (mix(0.3, 0.075, near) + mist * 0.6) * light + towards * 0.05 * (1 - near),
        cover,
      );
      out.b = mix(out.b, (mix(0.46, 0.1, near) + mist * 0.62) * light, cover);
    }
  }
}
