import { useState } from 'preact/hooks';
import { countText } from '../../text/sizes.ts';
import type { KeyRecord } from '../api/wire.ts';
import { KeyCard, type KeyEvents } from './key-card.tsx';

const atOnce = 50;

/** Keys of the past, out of the way until someone looks for them. */
export function RevokedKeys({
  records,
  isSearch,
  events,
}: {
  records: readonly KeyRecord[];
  /** What is searched for is shown. */
  isSearch: boolean;
  events: KeyEvents;
}) {
  const [isOpen, setOpen] = useState(false);
  const [most, setMost] = useState(atOnce);
  if (records.length === 0) return null;
  const isShown = isOpen || isSearch;
  const rest = records.length - most;
  return (
    <details
      class="revoked-keys"
      open={isShown}
      onToggle={(event) => {
        if (!isSearch) setOpen(event.currentTarget.open);
      }}
    >
      <summary>
        <h2>Revoked keys ({countText(records.length)})</h2>
      </summary>
      {isShown && (
        <ul class="key-list">
          {records.slice(0, most).map((record) => (
            <KeyCard key={record.id} record={record} events={events} />
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
