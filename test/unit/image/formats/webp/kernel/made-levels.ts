import { Random } from '../../../../../support/random.ts';
import type { CodedFrame, CodedMacroblock, FrameSettings } from './entropy-stage.ts';

/** How the macroblocks of a made frame are drawn. */
export interface Draw {
  /** Of each of 16 coefficients to be other than 0. */
  readonly density: number;
  /** The largest level. */
  readonly largest: number;
  /** Of macroblocks to be predicted block by block, and to be skipped. */
  readonly byBlock?: number;
  readonly skipped?: number;
  readonly segments?: number;
}

function madeMacroblock(random: Random, draw: Draw): CodedMacroblock {
  const isByBlock = random.unit() < (draw.byBlock ?? 0.5);
  const isSkipped = random.unit() < (draw.skipped ?? 0.1);
  const whole = below(random, 4);
  const levels = new Int16Array(400);
  // a macroblock has more or less of all, so that contexts of all kinds come
  const density = draw.density * random.unit() * 2;
  if (!isSkipped) {
    for (let i = 0; i < 400; i++) {
      if (random.unit() >= density) continue;
      const magnitude = 1 + Math.floor((draw.largest - 1) * random.unit() ** 4 + 0.5);
      levels[i] = random.unit() < 0.5 ? -magnitude : magnitude;
    }
  }
  return {
    modes: Array.from({ length: 16 }, () => (isByBlock ? below(random, 10) : whole)),
    chromaMode: below(random, 4),
    isByBlock,
    segment: below(random, draw.segments ?? 4),
    isSkipped,
    levels,
  };
}

/** A frame of noise. */
export function madeFrame(
  seed: number,
  [across, down]: readonly [number, number],
  draw: Draw,
  settings?: FrameSettings,
): CodedFrame {
  const random = new Random(seed);
  const macroblocks = Array.from({ length: across * down }, () => madeMacroblock(random, draw));
  return { across, down, macroblocks, settings };
}

/** A whole number below `n`. */
function below(random: Random, n: number): number {
  return Math.floor(random.unit() * n);
}
