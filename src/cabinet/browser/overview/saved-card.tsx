import { dayAndMonthText, sizeText } from '../../text/formatting.ts';
import type { Loaded } from '../api/call.ts';
import type { Statistics } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { balanceText, plotSummary } from '../statistics/figures.ts';

/** The bytes saved in the last 30 days, in total and by day. */
export function SavedCard({ usage }: { usage: Loaded<Statistics> }) {
  const { body, failure, isLoading, reload } = usage;
  return (
    <section class="card saved-card" aria-labelledby="saved" aria-busy={isLoading}>
      <div class="card-head">
        <h2 id="saved">Saved in the last 30 days</h2>
        <a href="/cabinet/statistics">Statistics</a>
      </div>
      {body === null && failure !== null ? (
        <FailureNotice failure={failure} isBusy={isLoading} onRetry={reload} />
      ) : (
        <>
          <p class="main-figure">{body ? sizeText(body.totals.bytes_saved) : <Blank />}</p>
          <p class="soft two-lines">{body ? balanceText(body.totals) : <Blank isLong />}</p>
          <div class="sparkline">{body && <Sparkline days={body.days} />}</div>
          <p class="soft sparkline-ends" aria-hidden="true">
            <span>{body?.days[0] ? dayAndMonthText(body.days[0].date) : '\u00a0'}</span>
            <span>Today</span>
          </p>
        </>
      )}
    </section>
  );
}

/** A placeholder for a text that is loading. */
export function Blank({ isLong = false }: { isLong?: boolean }) {
  return (
    <span class={`blank ${isLong ? 'long' : ''}`}>
      <span class="visually-hidden">Loading…</span>
    </span>
  );
}

/** Distance between bars, width of a bar, and height of the chart, in units of the viewBox. */
const step = 10;
const barWidth = 7;
const height = 100;
/** Minimum height, so that a day without savings is visible. */
const minBarHeight = 2;

/** The bytes saved by day. */
function Sparkline({ days }: { days: Statistics['days'] }) {
  const values = days.map((day) => day.bytes_saved);
  const highest = Math.max(1, ...values);
  const names = days.map(({ date }) => date);
  return (
    <svg
      viewBox={`0 0 ${step * days.length - step + barWidth} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Saved per day. ${plotSummary(names, values, sizeText)}`}
    >
      {values.map((value, i) => {
        const length = Math.max(minBarHeight, (height * value) / highest);
        return (
          <rect
            key={names[i]}
            class={value > 0 ? undefined : 'none'}
            x={step * i}
            y={height - length}
            width={barWidth}
            height={length}
          />
        );
      })}
    </svg>
  );
}
