import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../api/failure.ts';
import type { KeyRecord } from '../api/wire.ts';
import { EditLabels } from './edit-labels.tsx';
import { ReissueDialog, RevokeDialog } from './end-key-dialog.tsx';
import { KeyFigures } from './key-figures.tsx';
import { KeySecret } from './key-secret.tsx';
import type { HeldKeys } from './use-held-keys.ts';

/** What became of a key. */
export interface KeyEvents {
  /** Its labels were changed; it may turn out to have been revoked somewhere else. */
  readonly onSaved: (old: KeyRecord, saved: KeyRecord) => void;
  readonly onRevoked: (record: KeyRecord) => void;
  readonly onReissued: (old: KeyRecord, fresh: KeyRecord) => void;
  /** It was revoked or erased somewhere else. */
  readonly onGone: (record: KeyRecord, failure: Failure) => void;
}

type Verb = 'Edit' | 'Reissue' | 'Revoke';

/** One key and all that can be done with it. */
export function KeyCard({
  record,
  events,
  onHold,
}: {
  record: KeyRecord;
  events: KeyEvents;
  onHold: HeldKeys['hold'];
}) {
  /** What is being done with it. */
  const [doing, setDoing] = useState<Verb | null>(null);
  const card = useRef<HTMLLIElement>(null);
  const before = useRef<Verb | null>(null);
  const isActive = record.status === 'active';
  const verbs: readonly Verb[] = isActive ? ['Edit', 'Reissue', 'Revoke'] : ['Edit'];
  useLayoutEffect(() => {
    // back to where it was begun
    if (doing === null && before.current !== null) {
      card.current?.querySelector<HTMLElement>(`[data-verb="${before.current}"]`)?.focus();
    }
    before.current = doing;
  }, [doing]);
  useLayoutEffect(() => (doing === null ? undefined : onHold(record.id)), [doing]);

  const close = () => setDoing(null);
  const onGone = (failure: Failure) => {
    close();
    events.onGone(record, failure);
  };
  const ending = { record, onGone, onCancel: close };

  return (
    <li class="card key-card" ref={card}>
      {doing === 'Edit' ? (
        <EditLabels
          record={record}
          onSaved={(saved) => events.onSaved(record, saved)}
          onGone={onGone}
          onClose={close}
        />
      ) : (
        <KeyHead record={record} />
      )}
      {isActive ? <KeySecret record={record} /> : <code class="key-prefix">{record.prefix}…</code>}
      <KeyFigures record={record} />
      {doing !== 'Edit' && (
        <div class="cluster key-actions">
          {verbs.map((verb) => (
            <button
              key={verb}
              class={verb === 'Revoke' ? 'button small danger' : 'button small'}
              type="button"
              data-verb={verb}
              onClick={() => setDoing(verb)}
            >
              {verb}
              <span class="visually-hidden"> {record.name}</span>
            </button>
          ))}
        </div>
      )}
      {doing === 'Reissue' && (
        <ReissueDialog {...ending} onDone={(fresh) => events.onReissued(record, fresh)} />
      )}
      {doing === 'Revoke' && <RevokeDialog {...ending} onDone={events.onRevoked} />}
    </li>
  );
}

function KeyHead({ record: { name, comment, status } }: { record: KeyRecord }) {
  return (
    <div class="key-head">
      <h3 class="key-name">
        <bdi>{name}</bdi>
      </h3>
      <span class={status === 'active' ? 'badge' : 'badge off'}>
        {status === 'active' ? 'Active' : 'Revoked'}
      </span>
      {comment && (
        <p class="soft key-comment">
          <bdi>{comment}</bdi>
        </p>
      )}
    </div>
  );
}
