import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { countText } from '../../text/formatting.ts';
import type { Failure } from '../api/failure.ts';
import type { KeyRecord } from '../api/wire.ts';
import { selectTextOf } from '../parts/clipboard.ts';
import { CopyButton } from '../parts/code-block.tsx';
import { Day, Moment } from '../parts/moment.tsx';
import { ReissueDialog, RevokeDialog } from './end-key-dialog.tsx';
import { EditLabels } from './key-forms.tsx';

/** Notifications about changes to a key. */
export interface KeyEvents {
  /** Its labels were changed. The saved record may show that it was revoked elsewhere. */
  readonly onSaved: (old: KeyRecord, saved: KeyRecord) => void;
  readonly onRevoked: (record: KeyRecord) => void;
  readonly onReissued: (old: KeyRecord, fresh: KeyRecord) => void;
  /** It was revoked or deleted elsewhere. */
  readonly onGone: (record: KeyRecord, failure: Failure) => void;
}

type Verb = 'Edit' | 'Reissue' | 'Revoke';

/** A key with its figures and actions. */
export function KeyCard({
  record,
  events,
  onPin,
}: {
  record: KeyRecord;
  events: KeyEvents;
  onPin: PinnedKeys['pin'];
}) {
  /** The action in progress. */
  const [action, setAction] = useState<Verb | null>(null);
  const card = useRef<HTMLLIElement>(null);
  const before = useRef<Verb | null>(null);
  const isActive = record.status === 'active';
  const verbs: readonly Verb[] = isActive ? ['Edit', 'Reissue', 'Revoke'] : ['Edit'];
  useLayoutEffect(() => {
    // return the focus to the button that started the action
    if (action === null && before.current !== null) {
      card.current?.querySelector<HTMLElement>(`[data-verb="${before.current}"]`)?.focus();
    }
    before.current = action;
  }, [action]);
  useLayoutEffect(() => (action === null ? undefined : onPin(record.id)), [action]);

  const close = () => setAction(null);
  const onGone = (failure: Failure) => {
    close();
    events.onGone(record, failure);
  };
  const ending = { record, onGone, onCancel: close };

  return (
    <li class="card key-card" ref={card}>
      {action === 'Edit' ? (
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
      {action !== 'Edit' && (
        <div class="cluster key-actions">
          {verbs.map((verb) => (
            <button
              key={verb}
              class={verb === 'Revoke' ? 'button small danger' : 'button small'}
              type="button"
              data-verb={verb}
              onClick={() => setAction(verb)}
            >
              {verb}
              <span class="visually-hidden"> {record.name}</span>
            </button>
          ))}
        </div>
      )}
      {action === 'Reissue' && (
        <ReissueDialog {...ending} onDone={(fresh) => events.onReissued(record, fresh)} />
      )}
      {action === 'Revoke' && <RevokeDialog {...ending} onDone={events.onRevoked} />}
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

/** The key itself: its prefix, or all of it on demand. */
function KeySecret({ record }: { record: KeyRecord }) {
  const [isShown, setShown] = useState(false);
  /** How often copying was refused, so that the key is selected instead. */
  const [refusals, setRefusals] = useState(0);
  const code = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (refusals > 0 && code.current) selectTextOf(code.current);
  }, [refusals]);
  const { key, name, prefix } = record;
  if (key === undefined) {
    return (
      <div class="key-secret">
        <code>{prefix}…</code>
        <p class="soft">
          Only the prefix of this key is stored, so it can’t be shown. The key still works. Reissue
          it to get one that you can look up here.
        </p>
      </div>
    );
  }
  return (
    <div class="key-secret">
      <code ref={code}>
        {isShown ? key : prefix}
        {!isShown && <span aria-hidden="true">••••••••••••</span>}
      </code>
      <span class="cluster">
        <button class="button small" type="button" onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Reveal'}
          <span class="visually-hidden"> {name}</span>
        </button>
        <CopyButton
          text={key}
          subject={name}
          onRefused={() => {
            setShown(true);
            setRefusals(refusals + 1);
          }}
        />
      </span>
    </div>
  );
}

/** Usage and dates of a key. */
function KeyFigures({ record }: { record: KeyRecord }) {
  return (
    <dl class="key-figures">
      {record.status === 'active' && (
        <div>
          <dt>Files today (UTC)</dt>
          <dd>{countText(record.today_used)}</dd>
        </div>
      )}
      <div>
        <dt>Files in total</dt>
        <dd>{countText(record.all_time_used)}</dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>{record.last_used_at ? <Moment at={record.last_used_at} /> : 'never'}</dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>
          <Day at={record.created_at} />
        </dd>
      </div>
      {record.revoked_at && (
        <div>
          <dt>Revoked</dt>
          <dd>
            <Day at={record.revoked_at} />
          </dd>
        </div>
      )}
    </dl>
  );
}

export interface PinnedKeys {
  /** Ids of the pinned keys. */
  readonly pinned: ReadonlySet<string>;
  /** Pins a key. Returns a function that unpins it. */
  readonly pin: (id: string) => () => void;
}

/** Keys with an action in progress: neither a search nor a collapsed list hides them. */
export function usePinnedKeys(): PinnedKeys {
  const [pinned, setPinned] = useState<ReadonlySet<string>>(new Set());
  const pin = useCallback((id: string) => {
    setPinned((ids) => new Set(ids).add(id));
    return () => setPinned((ids) => new Set([...ids].filter((other) => other !== id)));
  }, []);
  return { pinned, pin };
}
