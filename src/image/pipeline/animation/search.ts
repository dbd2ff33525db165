import type { Source } from '../../formats/format.ts';
import type { Refusal } from '../../refusal.ts';
import type { AnimateCandidate } from './plan-animation.ts';

export function withFoundQuality(
  candidate: AnimateCandidate,
  _file: Uint8Array,
  _source: Source,
): AnimateCandidate | Refusal {
  return candidate;
}
