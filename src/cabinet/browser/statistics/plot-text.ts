import { dayAndMonthText, dayText, monthText, sizeText } from '../../text/formatting.ts';

/** Where the axis of days has a label, and which. */
interface Tick {
  /** Which of the days. */
  readonly index: number;
  readonly label: string;
}

/** At most so many days to be labelled; over a longer time the first days of months. */
export function dayTicks(days: readonly string[], most: number): readonly Tick[] {
  const all = days.map((day, index) => ({ day, index }));
  const isLong = days.length > 100;
  const candidates = isLong ? all.filter(({ day }) => day.endsWith('-01')) : all;
  const step = Math.max(1, Math.ceil(candidates.length / Math.max(1, most)));
  // the last one is always there: it is the one that people look for
  return candidates
    .filter((_, i) => (candidates.length - 1 - i) % step === 0)
    .map(({ day, index }) => ({ index, label: isLong ? firstDayText(day) : dayAndMonthText(day) }));
}

/** A size on an axis, without zeros that say nothing: `2.5 MB`, `10 KB`. */
export function axisSize(bytes: number): string {
  return sizeText(bytes).replace(/\.(\d*?)0+ /, (_, rest: string) => (rest ? `.${rest} ` : ' '));
}

/** A part of the whole: `64 %`, and `under 1 %` for what is little but there. */
export function shareText(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return '0 %';
  const percent = (part / whole) * 100;
  return percent < 1 ? 'under 1 %' : `${Math.round(percent)} %`;
}

/** The month that begins; January says which year it belongs to. */
function firstDayText(day: string): string {
  return monthText(day) + (day.slice(5, 7) === '01' ? ` ${day.slice(0, 4)}` : '');
}

/** What a plot shows, for those who do not see it: the whole, the most, and how many days had nothing. */
export function plotSummary(
  days: readonly string[],
  values: readonly number[],
  valueText: (value: number) => string,
): string {
  const all = values.reduce((sum, value) => sum + value, 0);
  const most = Math.max(...values);
  const busiest = days[values.indexOf(most)] ?? '';
  const range = `${dayText(days[0] ?? '')} to ${dayText(days.at(-1) ?? '')}`;
  if (all === 0) return `${range}: nothing.`;
  const idle = values.filter((value) => value === 0).length;
  return [
    `${range}: ${valueText(all)} in all.`,
    `Most on ${dayText(busiest)}: ${valueText(most)}.`,
    idle > 0 ? `Nothing on ${idle} of ${days.length} days.` : '',
  ]
    .filter(Boolean)
    .join(' ');
}
