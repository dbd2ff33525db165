import { addedBytes } from '../../text/byte-balance.ts';
import {
  dayAndMonthText,
  dayText,
  imagesText,
  monthText,
  sizeText,
} from '../../text/formatting.ts';
import type { Figures } from '../api/wire.ts';

/** The bytes that files which came back larger added. */
export function addedByLarger({ bytes_in, bytes_out, bytes_saved }: Figures): number {
  return addedBytes({ before: bytes_in, after: bytes_out, saved: bytes_saved });
}

/** What became of the images, below the bytes saved: figures that explain that figure. */
export function balanceText(figures: Figures): string {
  const { files, bytes_in, bytes_out, bytes_saved } = figures;
  if (files === 0) return 'Your savings show up here with the first image.';
  const became = `${sizeText(bytes_in)} became ${sizeText(bytes_out)}`;
  const net = netText(figures);
  return net === null
    ? `${shareText(bytes_saved, bytes_in)} smaller: ${became} in ${imagesText(files)}.`
    : `${became}: ${net}.`;
}

/** The change in total, and what makes it less than the bytes saved; null if these are the change. */
export function netText(figures: Figures): string | null {
  const added = addedByLarger(figures);
  if (added === 0) return null;
  const fewer = figures.bytes_in - figures.bytes_out;
  const change = `${sizeText(Math.abs(fewer))} ${fewer < 0 ? 'more' : 'fewer'}`;
  return `${change}, as larger formats added ${sizeText(added)}`;
}

/** A label on the day axis. */
interface Tick {
  /** Index of the day. */
  readonly index: number;
  readonly label: string;
}

/** At most `maxCount` labels for the day axis; in long ranges, only the first days of months are labeled. */
export function dayTicks(days: readonly string[], maxCount: number): readonly Tick[] {
  const all = days.map((day, index) => ({ day, index }));
  const isLong = days.length > 100;
  const candidates = isLong ? all.filter(({ day }) => day.endsWith('-01')) : all;
  const step = Math.max(1, Math.ceil(candidates.length / Math.max(1, maxCount)));
  // Counts from the end, so that the last label, which matters most, is always included.
  return candidates
    .filter((_, i) => (candidates.length - 1 - i) % step === 0)
    .map(({ day, index }) => ({ index, label: isLong ? firstDayText(day) : dayAndMonthText(day) }));
}

/** A size for an axis, without trailing zeros: `2.5 MB`, `10 KB`. */
export function axisSize(bytes: number): string {
  return sizeText(bytes).replace(/\.(\d*?)0+ /, (_, rest: string) => (rest ? `.${rest} ` : ' '));
}

/** A share in percent: `64%`; `under 1%` for smaller positive shares. */
export function shareText(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return '0%';
  const percent = (part / whole) * 100;
  return percent < 1 ? 'under 1%' : `${Math.round(percent)}%`;
}

/** The name of a month, with the year in January. */
function firstDayText(day: string): string {
  return monthText(day) + (day.slice(5, 7) === '01' ? ` ${day.slice(0, 4)}` : '');
}

/** A textual summary of a chart for screen readers: the total, the peak, and the number of days without data. */
export function plotSummary(
  days: readonly string[],
  values: readonly number[],
  valueText: (value: number) => string,
): string {
  const all = values.reduce((sum, value) => sum + value, 0);
  const peak = Math.max(...values);
  const peakDay = days[values.indexOf(peak)] ?? '';
  const range = `${dayText(days[0] ?? '')} to ${dayText(days.at(-1) ?? '')}`;
  if (all === 0) return `${range}: none.`;
  const idle = values.filter((value) => value === 0).length;
  return [
    `${range}: ${valueText(all)} in total.`,
    `Peak on ${dayText(peakDay)}: ${valueText(peak)}.`,
    idle > 0 ? `None on ${idle} of ${days.length} days.` : '',
  ]
    .filter(Boolean)
    .join(' ');
}
