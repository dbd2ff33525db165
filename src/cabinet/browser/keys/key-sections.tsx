import { useMemo, useState } from 'preact/hooks';
import { countText } from '../../text/formatting.ts';
import type { KeyRecord } from '../api/wire.ts';
import { KeyCard, type KeyEvents, type PinnedKeys, usePinnedKeys } from './key-card.tsx';
import { countOfMatches, matchingKeys, searchedKeys, shownKeys } from './key-list.ts';

/** Lists of the active and the revoked keys, with a search over both. */
export function KeySections({
  records,
  events,
}: {
  records: readonly KeyRecord[];
  events: KeyEvents;
}) {
  const [query, setQuery] = useState('');
  const searched = useMemo(() => searchedKeys(records), [records]);
  const found = useMemo(() => matchingKeys(searched, query), [searched, query]);
  const { pinned, pin } = usePinnedKeys();
  const shown = shownKeys(records, found, pinned);
  const active = shown.filter(({ status }) => status === 'active');
  const revoked = shown.filter(({ status }) => status === 'revoked');
  const isSearch = query.trim() !== '';
  return (
    <>
      <div class="cluster key-search">
        <label class="visually-hidden" for="key-search">
          Search keys
        </label>
        <input
          class="input"
          id="key-search"
          type="search"
          autocomplete="off"
          spellcheck={false}
          placeholder="Name, comment or prefix"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <p class="soft" role="status">
          {countOfMatches(found.length, records.length, query)}
        </p>
      </div>
      <section class="stack" aria-labelledby="active-keys">
        <h2 id="active-keys">Active keys ({countText(active.length)})</h2>
        {active.length === 0 ? (
          <p class="soft">{isSearch ? 'No active keys match.' : 'No active keys.'}</p>
        ) : (
          <ul class="key-list">
            {active.map((record) => (
              <KeyCard key={record.id} record={record} events={events} onPin={pin} />
            ))}
          </ul>
        )}
      </section>
      <RevokedKeys
        records={revoked}
        isSearch={isSearch}
        pinned={pinned}
        events={events}
        onPin={pin}
      />
    </>
  );
}

/** Revoked keys shown at first, and added by each press of “Show more”. */
const pageSize = 50;

/** The list of revoked keys, collapsed until opened or searched. */
function RevokedKeys({
  records,
  isSearch,
  pinned,
  events,
  onPin,
}: {
  records: readonly KeyRecord[];
  /** A search is active: matches are shown. */
  isSearch: boolean;
  /** Always shown. */
  pinned: PinnedKeys['pinned'];
  events: KeyEvents;
  onPin: PinnedKeys['pin'];
}) {
  const [isOpen, setOpen] = useState(false);
  const [limit, setLimit] = useState(pageSize);
  if (records.length === 0) return null;
  const isForced = isSearch || records.some(({ id }) => pinned.has(id));
  const isShown = isOpen || isForced;
  const shown = records.filter(({ id }, i) => i < limit || pinned.has(id));
  const rest = records.length - shown.length;
  return (
    <details
      class="revoked-keys"
      open={isShown}
      onToggle={(event) => {
        if (!isForced) setOpen(event.currentTarget.open);
      }}
    >
      <summary>
        <h2>Revoked keys ({countText(records.length)})</h2>
      </summary>
      {isShown && (
        <ul class="key-list">
          {shown.map((record) => (
            <KeyCard key={record.id} record={record} events={events} onPin={onPin} />
          ))}
        </ul>
      )}
      {isShown && rest > 0 && (
        <p>
          <button class="button" type="button" onClick={() => setLimit(limit + pageSize)}>
            Show {Math.min(rest, pageSize)} more
          </button>
        </p>
      )}
    </details>
  );
}
