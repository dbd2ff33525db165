import { useMemo, useState } from 'preact/hooks';
import { countText } from '../../text/sizes.ts';
import type { KeyRecord } from '../api/wire.ts';
import { KeyCard, type KeyEvents } from './key-card.tsx';
import { countOfMatches, matchingKeys, searchedKeys, shownKeys } from './key-search.ts';
import { RevokedKeys } from './revoked-keys.tsx';
import { useHeldKeys } from './use-held-keys.ts';

/** The keys that work and those that did, and a search over both. */
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
  const { held, hold } = useHeldKeys();
  const shown = shownKeys(records, found, held);
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
          placeholder="Name, comment or beginning"
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
          <p class="soft">{isSearch ? 'None of these matches.' : 'No key works at present.'}</p>
        ) : (
          <ul class="key-list">
            {active.map((record) => (
              <KeyCard key={record.id} record={record} events={events} onHold={hold} />
            ))}
          </ul>
        )}
      </section>
      <RevokedKeys
        records={revoked}
        isSearch={isSearch}
        held={held}
        events={events}
        onHold={hold}
      />
    </>
  );
}
