import { isOutputType } from '../../formats/facts.ts';
import { outputFormat } from '../../formats/registry.ts';
import type { SearchedScale } from './search.ts';

/** Below, quantization is too coarse for meaningful scores; above, encoders change their method. */
const lowestQuality = 5;
const highestQuality = 98;

/**
 * Minimum quality for targets from `decentTarget` on, even if little is visible, because alpha gets coarser as well.
 */
const decentQuality = 20;
const decentTarget = 60;

/** The part of a format's scale that is searched for a target; null if quality does not determine detail. */
export function scaleOf(type: string, target = 0): SearchedScale | null {
  if (!isOutputType(type)) return null;
  const scale = outputFormat(type).facts.output.quality;
  if (scale.scores === null) return null;
  const { scores, leaps = [] } = scale;
  const lowest = target < decentTarget ? lowestQuality : decentQuality;
  return { scores, leaps, lowest, highest: highestQuality };
}
