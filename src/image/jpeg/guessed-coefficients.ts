import type { JpegInspection } from '../inspect/inspection.ts';
import { missingBits, notCoded } from './missing-bits.ts';
import type { ScanList } from './scan-list.ts';

/** The lowest frequencies, which decoders guess from the DC of the blocks around: up to libjpeg-turbo 2.0 five, since then nine. */
const mostGuessed = 9;

/**
 * Whether the scans of a progressive picture leave out bits that decoders fill in, as a file does
 * that has been cut off between two scans. They would not any more if it was coded anew, where every
 * coefficient has all of its bits. Source: `smoothing_ok` in libjpeg's jdcoefct.c.
 */
export function leavesToGuess(
  { components, process }: JpegInspection,
  { scans }: ScanList,
): boolean {
  if (process !== 'progressive') return false;
  return components.some((_, index) => {
    const missing = missingBits(index, scans);
    return (
      missing[0] !== notCoded && missing.subarray(1, mostGuessed + 1).some((bits) => bits !== 0)
    );
  });
}
