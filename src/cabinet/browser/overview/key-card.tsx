import { countText } from '../../text/formatting.ts';
import type { KeyRecord } from '../api/wire.ts';
import { badgeOf } from '../keys/key-state.ts';
import { Moment } from '../parts/moment.tsx';
import { byLastUse } from './next-step.ts';

/** How many keys are listed. */
const maxListed = 4;

/** The most recently used keys. */
export function RecentKeys({
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
