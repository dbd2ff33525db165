import { useMemo, useState } from 'preact/hooks';
import { countText } from '../../text/formatting.ts';
import type { KeyRecord } from '../api/wire.ts';
import { countOfMatches, inPairs, matchingKeys, searchedKeys } from './key-list.ts';
import { isRevoked } from './key-state.ts';
import { ActiveKeys, EndedKeys, type OnAction } from './key-table.tsx';

/** The number of keys from which the search is shown; fewer are easy to survey. */
const searchableCount = 6;

interface Sections {
  readonly records: readonly KeyRecord[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly onAction: OnAction;
}

/** Lists of the active and the revoked keys, with a search over both. */
export function KeySections({ records, now, onAction }: Sections) {
  const [query, setQuery] = useState('');
  const searched = useMemo(() => searchedKeys(records), [records]);
  const found = useMemo(() => matchingKeys(searched, query), [searched, query]);
  const active = inPairs(found.filter((record) => !isRevoked(record, now)));
  const revoked = found.filter((record) => isRevoked(record, now));
  const isSearch = query.trim() !== '';
  return (
    <>
      {records.length >= searchableCount && (
        <KeySearch
          query={query}
          outcome={countOfMatches(found.length, records.length, query)}
          onChange={setQuery}
        />
      )}
      <section class="key-section" aria-labelledby="active-keys">
        <h2 id="active-keys">
          Active <span class="soft">{countText(active.length)}</span>
        </h2>
        {active.length === 0 ? (
          <p class="soft">{isSearch ? 'No active keys match.' : 'No active keys.'}</p>
        ) : (
          <ActiveKeys records={active} now={now} onAction={onAction} />
        )}
      </section>
      <RevokedKeys records={revoked} isSearch={isSearch} now={now} onAction={onAction} />
    </>
  );
}

function KeySearch({
  query,
  outcome,
  onChange,
}: {
  query: string;
  /** How many keys were found. */
  outcome: string;
  onChange: (query: string) => void;
}) {
  return (
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
        placeholder="Search by name, comment or prefix"
        value={query}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <p class="soft" role="status">
        {outcome}
      </p>
    </div>
  );
}

/** The number of revoked keys shown at first, and added by each press of “Show more”. */
const pageSize = 20;

/** The list of revoked keys, collapsed until opened or searched. */
function RevokedKeys({
  records,
  isSearch,
  now,
  onAction,
}: Sections & {
  /** Whether a search is active, so that matches are shown. */
  isSearch: boolean;
}) {
  const [isOpen, setOpen] = useState(false);
  const [limit, setLimit] = useState(pageSize);
  if (records.length === 0) return null;
  const isShown = isOpen || isSearch;
  const rest = records.length - limit;
  return (
    <details
      class="key-section revoked-keys"
      open={isShown}
      onToggle={(event) => {
        if (!isSearch) setOpen(event.currentTarget.open);
      }}
    >
      <summary>
        <h2 id="revoked-keys">
          Revoked <span class="soft">{countText(records.length)}</span>
        </h2>
      </summary>
      {isShown && <EndedKeys records={records.slice(0, limit)} now={now} onAction={onAction} />}
      {isShown && rest > 0 && (
        <p>
          <button class="button small" type="button" onClick={() => setLimit(limit + pageSize)}>
            Show {Math.min(rest, pageSize)} more
          </button>
        </p>
      )}
    </details>
  );
}
