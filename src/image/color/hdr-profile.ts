import { iccTags } from './icc-tags.ts';
import { readTaggedCodePoints } from './icc-values.ts';
import { transferOf } from './transfer.ts';

/** Whether an ICC profile says PQ or HLG in its `cicp` tag, which goes before its curves. */
export function isHdrProfile(icc: Uint8Array): boolean {
  const tag = iccTags(icc)?.get('cicp');
  const points = tag ? readTaggedCodePoints(tag) : null;
  return points !== null && transferOf(points.transfer) === 'hdr';
}
