import { type Curve, interpolated } from '../codecs/interpolated.ts';

/**
 * The scale of the quantization steps (see `targetTables`) at which a picture
 * looks as much like its original as libjpeg makes it at a quality number.
 * @param quality 1 to 100
 */
export function targetScale(quality: number): number {
  return Math.exp(interpolated(scaleByQuality, quality));
}

/**
 * Medians over 20 photos, by SSIMULACRA2 (`npm run bench:jpeg-scale`), up to 50 somewhat
 * finer, as busy photos lose more there than calm ones gain; from 95 on
 * and below 20, where the sources' own steps or the score say nothing, drawn on
 * in proportion to libjpeg's steps. Logarithms, as steps grow in proportion.
 */
const scaleByQuality: Curve = (
  [
    [1, 250],
    [5, 110],
    [10, 56],
    [20, 25.5],
    [30, 15.8],
    [40, 11.4],
    [50, 8.7],
    [60, 7.0],
    [70, 5.0],
    [75, 4.2],
    [80, 3.2],
    [85, 2.4],
    [90, 1.8],
    [95, 0.8],
    [98, 0.3],
    [100, 0.02],
  ] as const
).map(([quality, scale]) => [quality, Math.log(scale)] as const);
