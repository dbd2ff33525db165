import { useState } from 'preact/hooks';
import { countText } from '../../text/sizes.ts';
import type { KeyRecord } from '../api/wire.ts';
import { KeyCard, type KeyEvents } from './key-card.tsx';
import type { HeldKeys } from './use-held-keys.ts';

const atOnce = 50;

/** Keys of the past, out of the way until someone looks for them. */
export function RevokedKeys({
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
