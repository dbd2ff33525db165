import { countText, filesText } from '../../text/formatting.ts';
import type { Loaded } from '../api/call.ts';
import type { Quota, Statistics } from '../api/wire.ts';
import { isSelling } from '../parts/page-facts.ts';
import { forecast } from './forecast.ts';
import { forecastText, lowShare, quotaReset } from './quota-words.ts';
import { Blank } from './saved-card.tsx';

/** What is left of the free and the paid files, and for how long that lasts. */
export function QuotaCard({ quota, usage }: { quota: Quota; usage: Loaded<Statistics> }) {
  const { limit, used, remaining, resets_at } = quota.free_quota;
  const reset = quotaReset(resets_at, Date.now());
  const paid = quota.paid_quota_remaining;
  return (
    <section class="card quota-card" aria-labelledby="files">
      <div class="card-head">
        <h2 id="files">Files left</h2>
        {isSelling() && <a href="/cabinet/payment">Buy files</a>}
      </div>
      <div class="quota">
        <Ring used={used} limit={limit} remaining={remaining} />
        <dl class="facts">
          <div>
            <dt>Free this month</dt>
            <dd>
              {countText(used)} of {countText(limit)} used
            </dd>
          </div>
          <div>
            <dt>New free files</dt>
            <dd>
              <time
                dateTime={resets_at}
                title={[reset.utc, reset.local].filter(Boolean).join(', ')}
              >
                {reset.distance}
              </time>
            </dd>
          </div>
          {(paid > 0 || isSelling()) && (
            <div>
              <dt>Paid</dt>
              <dd>{filesText(paid)} left</dd>
            </div>
          )}
        </dl>
      </div>
      <p class="soft two-lines">
        <ForecastText quota={quota} usage={usage} />
      </p>
    </section>
  );
}

function ForecastText({ quota, usage }: { quota: Quota; usage: Loaded<Statistics> }) {
  if (usage.body) {
    const files = usage.body.days.map((day) => day.files);
    return <>{forecastText(forecast(quota, files, Date.now()), quota)}</>;
  }
  return usage.failure ? <>There’s no forecast at the moment.</> : <Blank isLong />;
}

/** The share of the free files that is used, with what is left in the middle. */
function Ring({ used, limit, remaining }: { used: number; limit: number; remaining: number }) {
  const share = limit > 0 ? Math.min(1, used / limit) : 1;
  const state = remaining <= 0 ? 'used-up' : remaining <= limit * lowShare ? 'low' : '';
  return (
    <div
      class={`ring ${state}`}
      role="img"
      aria-label={`${countText(used)} of ${filesText(limit, 'free')} used, ${countText(remaining)} left`}
    >
      <svg viewBox="0 0 100 100" aria-hidden="true">
        <circle class="track" cx="50" cy="50" r="44" />
        {share > 0 && (
          <circle
            class="used"
            cx="50"
            cy="50"
            r="44"
            pathLength="100"
            stroke-dasharray={`${100 * share} 100`}
          />
        )}
      </svg>
      <span class="ring-text">
        <strong>{countText(remaining)}</strong>
        <span class="soft">free left</span>
      </span>
    </div>
  );
}
