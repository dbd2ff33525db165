import { dayText } from '../../text/times.ts';

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
