import '../../design/overview.css';
import { countText } from '../../text/formatting.ts';
import { type Loaded, useLoaded } from '../api/call.ts';
import type { KeyRecord, List, Me, Statistics } from '../api/wire.ts';
import { badgeOf } from '../keys/key-state.ts';
import { Loading } from '../parts/feedback.tsx';
import { Moment } from '../parts/moment.tsx';
import { apiAddress, dayAt, presetRange } from '../statistics/range.ts';
import { forecastOf } from './forecast.ts';
import { byLastUse, nextStep } from './next-step.ts';
import { NextStepCard } from './next-step-card.tsx';
import { QuotaCard } from './quota-card.tsx';
import { SavedCard } from './saved-card.tsx';

/** The start page: bytes saved, files left, keys, and what to do next. */
export function OverviewPage() {
  const account = useLoaded<Me>('/v1/me');
  const keys = useLoaded<List<KeyRecord>>('/v1/keys');
  const usage = useLoaded<Statistics>(apiAddress(presetRange('30-days', dayAt(Date.now())), null));
  return (
    <div class="stack overview">
      <h1>Overview</h1>
      <Loading loaded={both(account, keys)} skeleton={<Skeleton />}>
        {([me, { items }]) => {
          const now = Date.now();
          const step = nextStep(items, me, usage.body && forecastOf(me, usage.body, now), now);
          // Nothing else has content yet.
          const isStart = step.kind === 'create-key' || step.kind === 'first-call';
          const isFirst = isStart || step.kind === 'used-up';
          const hasSaved = !isStart || me.free_quota.used > 0;
          return (
            <div class="overview-cards">
              {isFirst && (
                <NextStepCard step={step} quota={me} isStart={isStart} isAlone={hasSaved} />
              )}
              {hasSaved && <SavedCard usage={usage} />}
              <QuotaCard quota={me} usage={usage} />
              {items.length > 0 && <RecentKeys keys={items} isAlone={isFirst} />}
              {/* This card comes last, because it may depend on data that loads last. */}
              {!isFirst && <NextStepCard step={step} quota={me} isAlone={items.length === 0} />}
            </div>
          );
        }}
      </Loading>
    </div>
  );
}

/** Combines two loads into one, which has a body once both have loaded. */
function both<First, Second>(
  first: Loaded<First>,
  second: Loaded<Second>,
): Omit<Loaded<readonly [First, Second]>, 'replace'> {
  const isLoaded = first.body !== null && second.body !== null;
  return {
    body: isLoaded ? [first.body as First, second.body as Second] : null,
    failure: first.failure ?? second.failure,
    isLoading: first.isLoading || second.isLoading,
    reload: () => {
      if (first.failure) first.reload();
      if (second.failure) second.reload();
    },
  };
}

/** Empty cards, shown until the data is loaded. */
function Skeleton() {
  return (
    <div class="overview-cards">
      <div class="card saved-card" />
      <div class="card quota-card" />
      <div class="card" />
      <div class="card" />
    </div>
  );
}

/** How many keys are listed. */
const maxListed = 4;

/** The most recently used keys. */
function RecentKeys({
  keys,
  isAlone,
}: {
  keys: readonly KeyRecord[];
  /** Whether the card has its row to itself. */
  isAlone: boolean;
}) {
  const active = byLastUse(keys, Date.now());
  return (
    <section class={`card ${isAlone ? 'whole-row' : ''}`} aria-labelledby="keys">
      <div class="card-head">
        <h2 id="keys">Keys</h2>
        <a href="/cabinet/keys">
          {active.length > maxListed ? `All ${countText(active.length)} keys` : 'Manage keys'}
        </a>
      </div>
      {active.length === 0 ? (
        <p class="soft">All of your keys have been revoked.</p>
      ) : (
        <ul class="recent-keys">
          {active.slice(0, maxListed).map((record) => (
            <RecentKey key={record.id} record={record} />
          ))}
        </ul>
      )}
    </section>
  );
}

function RecentKey({ record }: { record: KeyRecord }) {
  const { name, prefix, last_used_at: usedAt } = record;
  const badge = badgeOf(record, Date.now());
  return (
    <li>
      <span class="recent-key">
        <bdi>{name}</bdi>{' '}
        {badge ? <span class={`badge ${badge.look}`}>{badge.text}</span> : <code>{prefix}…</code>}
      </span>
      <span class="soft">{usedAt === null ? 'Never used' : <Moment at={usedAt} />}</span>
    </li>
  );
}
