import { useMemo, useState } from 'preact/hooks';
import { countText } from '../../text/formatting.ts';
import type { KeyRecord } from '../api/wire.ts';
import { type HeldKeys, KeyCard, type KeyEvents, useHeldKeys } from './key-card.tsx';
import { countOfMatches, matchingKeys, searchedKeys, shownKeys } from './key-list.ts';

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

const atOnce = 50;

/** Keys of the past, out of the way until someone looks for them. */
function RevokedKeys({
  records,
  isSearch,
  held,
  events,
  onHold,
}: {
  records: readonly KeyRecord[];
  /** What is searched for is shown. */
  isSearch: boolean;
  /** Those that are being worked on: they stay in sight. */
  held: HeldKeys['held'];
  events: KeyEvents;
  onHold: HeldKeys['hold'];
}) {
  const [isOpen, setOpen] = useState(false);
  const [most, setMost] = useState(atOnce);
  if (records.length === 0) return null;
  const isForced = isSearch || records.some(({ id }) => held.has(id));
  const isShown = isOpen || isForced;
  const shown = records.filter(({ id }, i) => i < most || held.has(id));
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
            <KeyCard key={record.id} record={record} events={events} onHold={onHold} />
          ))}
        </ul>
      )}
      {isShown && rest > 0 && (
        <p>
          <button class="button" type="button" onClick={() => setMost(most + atOnce)}>
            Show {Math.min(rest, atOnce)} more
          </button>
        </p>
      )}
    </details>
  );
}
