import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { countText } from '../../text/formatting.ts';
import type { Failure } from '../api/failure.ts';
import type { KeyRecord } from '../api/wire.ts';
import { selectTextOf } from '../parts/clipboard.ts';
import { CopyButton } from '../parts/code-block.tsx';
import { Day, Moment } from '../parts/moment.tsx';
import { ReissueDialog, RevokeDialog } from './end-key-dialog.tsx';
import { EditLabels } from './key-forms.tsx';

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

/** The key of a record: its beginning, or all of it on demand. */
function KeySecret({ record }: { record: KeyRecord }) {
  const [isShown, setShown] = useState(false);
  /** How often it could not be copied, and was to be selected instead. */
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
          Only the beginning of this key is kept, so it cannot be shown. It works all the same.
          Reissue gives you one that can be looked up.
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

/** What a key has done, and since when. */
function KeyFigures({ record }: { record: KeyRecord }) {
  return (
    <dl class="key-figures">
      {record.status === 'active' && (
        <div>
          <dt>Files today, UTC</dt>
          <dd>{countText(record.today_used)}</dd>
        </div>
      )}
      <div>
        <dt>Files in all</dt>
        <dd>{countText(record.all_time_used)}</dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>{record.last_used_at ? <Moment at={record.last_used_at} /> : 'not yet'}</dd>
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

export interface HeldKeys {
  /** Ids of the keys that are being worked on. */
  readonly held: ReadonlySet<string>;
  /** Begins work on a key; what it returns ends it. */
  readonly hold: (id: string) => () => void;
}

/** Keys that someone works on, which no search and no fold may take away. */
export function useHeldKeys(): HeldKeys {
  const [held, setHeld] = useState<ReadonlySet<string>>(new Set());
  const hold = useCallback((id: string) => {
    setHeld((ids) => new Set(ids).add(id));
    return () => setHeld((ids) => new Set([...ids].filter((other) => other !== id)));
  }, []);
  return { held, hold };
}
