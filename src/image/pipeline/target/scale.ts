import { isOutputType } from '../../formats/facts.ts';
import { outputFormat } from '../../formats/registry.ts';
import type { SearchedScale } from './search.ts';

/** Below it, steps are so coarse that scores say little; above, encoders change their ways. */
const lowestQuality = 5;
const highestQuality = 98;

/** What shall look good is coded no coarser, however little there is to see: alpha is coarser then, too. */
const decentQuality = 20;
const decentTarget = 60;

/** The part of a format's scale that is searched for a target; null where quality is not about detail. */
export function scaleOf(type: string, target = 0): SearchedScale | null {
  if (!isOutputType(type)) return null;
  const scale = outputFormat(type).facts.output.quality;
  if (scale.scores === null) return null;
  const { scores, leaps = [] } = scale;
  const lowest = target < decentTarget ? lowestQuality : decentQuality;
  return { scores, leaps, lowest, highest: highestQuality };
}
