import { filesText, shortCountText } from '../../text/formatting.ts';
import type { Loaded } from '../api/call.ts';
import type { Quota, Statistics } from '../api/wire.ts';
import { isSelling } from '../parts/page-facts.ts';
import { forecastOf } from './forecast.ts';
import {
  filesLeft,
  forecastText,
  hasBought,
  quotaLevel,
  quotaParts,
  quotaReset,
} from './quota-words.ts';
import { Blank } from './saved-card.tsx';

/** How many files are left, of which kind, and for how long they last. */
export function QuotaCard({ quota, usage }: { quota: Quota; usage: Loaded<Statistics> }) {
  const { resets_at } = quota.free_quota;
  const reset = quotaReset(resets_at, Date.now());
  return (
    <section class="card quota-card" aria-labelledby="files">
      <div class="card-head">
        <h2 id="files">Files left</h2>
        {isSelling() && <a href="/cabinet/payment">Buy files</a>}
      </div>
      <div class="quota">
        <Ring quota={quota} />
        <div class="quota-parts">
          <p>{quotaParts(quota)}</p>
          <p class="soft">
            New free files{' '}
            <time dateTime={resets_at} title={[reset.utc, reset.local].filter(Boolean).join(', ')}>
              {reset.distance}
            </time>
            {hasBought(quota) && '. Free files are used first'}. Only smaller results count.
          </p>
        </div>
      </div>
      {quotaLevel(quota) !== 'used-up' && (
        <p class="soft two-lines">
          <ForecastText quota={quota} usage={usage} />
        </p>
      )}
    </section>
  );
}

function ForecastText({ quota, usage }: { quota: Quota; usage: Loaded<Statistics> }) {
  if (usage.body) {
    return <>{forecastText(forecastOf(quota, usage.body, Date.now()), quota)}</>;
  }
  return usage.failure ? <>There’s no forecast at the moment.</> : <Blank isLong />;
}

/** The share of this month's free files and the paid files that is left: the ring drains. */
function Ring({ quota }: { quota: Quota }) {
  const left = filesLeft(quota);
  const all = quota.free_quota.limit + quota.paid_quota_remaining;
  const share = all > 0 ? Math.min(1, left / all) : 0;
  const text = shortCountText(left);
  return (
    <div class={`ring ${quotaLevel(quota)}`} role="img" aria-label={`${filesText(left)} left`}>
      <svg viewBox="0 0 100 100" aria-hidden="true">
        <circle class="track" cx="50" cy="50" r="44" />
        {share > 0 && (
          <circle
            class="left"
            cx="50"
            cy="50"
            r="44"
            pathLength="100"
            stroke-dasharray={`${100 * share} 100`}
          />
        )}
      </svg>
      <span class="ring-text">
        <strong class={text.length > 6 ? 'long' : ''}>{text}</strong>
        <span class="soft">{left === 1 ? 'file' : 'files'} left</span>
      </span>
    </div>
  );
}
