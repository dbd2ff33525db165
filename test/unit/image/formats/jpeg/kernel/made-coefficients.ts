import type { Factors } from '../../../../../support/jpeg-maker/content.ts';
import { Random } from '../../../../../support/random.ts';

/** Coefficients of a component. */
interface Component {
  readonly horizontal: number;
  readonly vertical: number;
  /** 64 in zigzag order. */
  readonly steps: number[];
  /** Those that pad the picture included, 64 coefficients each in zigzag order. */
  readonly blocks: Int16Array;
  readonly blocksAcross: number;
  readonly blocksDown: number;
}

/** A picture as coefficients. */
export interface Coefficients {
  readonly width: number;
  readonly height: number;
  readonly components: readonly Component[];
}

/** Made-up coefficients: blocks of none, few and many, in which high frequencies are weak. */
export function coefficients(
  width: number,
  height: number,
  sampling: Factors,
  strength = 1,
): Coefficients {
  const random = new Random(width * 1000 + height);
  const across = 8 * Math.max(...sampling.map(([horizontal]) => horizontal));
  const down = 8 * Math.max(...sampling.map(([, vertical]) => vertical));
  const components = sampling.map(([horizontal, vertical]) => {
    const blocksAcross = Math.ceil(width / across) * horizontal;
    const blocksDown = Math.ceil(height / down) * vertical;
    const steps = Array.from({ length: 64 }, (_, k) => 1 + Math.floor(random.unit() * (2 + k / 2)));
    const blocks = new Int16Array(64 * blocksAcross * blocksDown);
    for (let at = 0; at < blocks.length; at += 64) {
      const end = [1, 6, 15, 64][Math.floor(random.unit() * 4)] ?? 64;
      const share = random.unit();
      for (let k = 0; k < end; k += 1) {
        const range = k === 0 ? 1400 : random.unit() < share ? 600 / (1 + k) : 0;
        blocks[at + k] = Math.round(((random.unit() - 0.5) * range * strength) / (steps[k] ?? 1));
      }
    }
    return { horizontal, vertical, steps, blocks, blocksAcross, blocksDown };
  });
  return { width, height, components };
}

/** A block by its place in component `c`. */
export function blockOf(picture: Coefficients, c: number, x: number, y: number): Int16Array {
  const { blocks, blocksAcross } = componentOf(picture, c);
  const at = 64 * (y * blocksAcross + x);
  return blocks.subarray(at, at + 64);
}

/** A component as a picture of its own, of the given number of samples. */
export function alone(
  picture: Coefficients,
  c: number,
  width: number,
  height: number,
): Coefficients {
  const component = componentOf(picture, c);
  const blocksAcross = Math.ceil(width / 8);
  const blocksDown = Math.ceil(height / 8);
  const blocks = new Int16Array(64 * blocksAcross * blocksDown);
  for (let y = 0; y < blocksDown; y += 1) {
    const from = 64 * y * component.blocksAcross;
    blocks.set(component.blocks.subarray(from, from + 64 * blocksAcross), 64 * y * blocksAcross);
  }
  const { steps } = component;
  const components = [{ horizontal: 1, vertical: 1, steps, blocks, blocksAcross, blocksDown }];
  return { width, height, components };
}

function componentOf({ components }: Coefficients, c: number): Component {
  const component = components[c];
  if (!component) throw new Error(`There is no component ${c}.`);
  return component;
}
