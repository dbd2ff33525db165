import '../../design/overview.css';
import { type Loaded, useLoaded } from '../api/call.ts';
import type { KeyRecord, List, Me, Statistics } from '../api/wire.ts';
import { Loading } from '../parts/feedback.tsx';
import { apiAddress, dayAt, presetRange } from '../statistics/range.ts';
import { forecastOf } from './forecast.ts';
import { RecentKeys } from './key-card.tsx';
import { nextStep } from './next-step.ts';
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
