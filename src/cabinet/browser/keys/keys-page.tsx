import '../../design/keys.css';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLoaded } from '../api/call.ts';
import type { KeyRecord, List } from '../api/wire.ts';
import { CodeBlock, SnippetTabs } from '../parts/code-block.tsx';
import { Loading } from '../parts/feedback.tsx';
import type { KeyEvents } from './key-card.tsx';
import { CreateKey } from './key-forms.tsx';
import { withChanged, withCreated, withReissued } from './key-list.ts';
import { KeySections } from './key-sections.tsx';

interface MadeKey {
  readonly record: KeyRecord;
  readonly replaced: KeyRecord | null;
}

/** API keys: made, shown, named, replaced and revoked. */
export function KeysPage() {
  const loaded = useLoaded<List<KeyRecord>>('/v1/keys');
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<MadeKey | null>(null);
  const [remark, setRemark] = useState<{ name: string; text: string } | null>(null);
  const createButton = useRef<HTMLButtonElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const remarkPlace = useRef<HTMLParagraphElement>(null);
  const isEmpty = loaded.body?.items.length === 0;
  // what was pressed is gone: readers go on where it is said what happened
  useLayoutEffect(() => remarkPlace.current?.focus(), [remark]);

  function show(next: MadeKey | null) {
    setMade(next);
    setRemark(null);
  }

  /** Once what held the focus is gone. */
  function focusTop() {
    requestAnimationFrame(() => (createButton.current ?? heading.current)?.focus());
  }

  function created(record: KeyRecord) {
    loaded.replace((list) => withCreated(list, record));
    show({ record, replaced: null });
    setCreating(false);
  }

  function cancel() {
    setCreating(false);
    focusTop();
  }

  function change(record: KeyRecord) {
    loaded.replace((list) => withChanged(list, record));
  }

  /** Its card goes to those of the past: what is said takes the focus. */
  function showRevoked(record: KeyRecord, text: string) {
    change(record);
    if (made?.record.id === record.id) setMade(null);
    setRemark({ name: record.name, text });
  }

  const events: KeyEvents = {
    onSaved: (old, saved) => {
      if (old.status === saved.status) change(saved);
      else showRevoked(saved, 'was revoked already. Your changes are saved.');
    },
    onRevoked: (record) =>
      showRevoked(record, 'is revoked. Requests with it are refused from now on.'),
    onReissued: (old, fresh) => {
      loaded.replace((list) => withReissued(list, old.id, fresh));
      show({ record: fresh, replaced: old });
    },
    onGone: (record, { code }) => {
      const text = code === 'key_not_found' ? 'does not exist any more.' : 'was revoked already.';
      setRemark({ name: record.name, text });
      loaded.reload();
    },
  };

  return (
    <div class="stack keys">
      <div class="cluster apart">
        <h1 tabIndex={-1} ref={heading}>
          Keys
        </h1>
        {loaded.body && !isEmpty && !isCreating && (
          <button
            class="button primary"
            type="button"
            ref={createButton}
            onClick={() => setCreating(true)}
          >
            Create key
          </button>
        )}
      </div>
      {remark && (
        <p class="notice" tabIndex={-1} ref={remarkPlace}>
          <bdi class="key-name">{remark.name}</bdi> {remark.text}
        </p>
      )}
      <Loading loaded={loaded}>
        {({ items }) => (
          <>
            {isEmpty && (
              <p class="lead">
                With a key, your server can send pictures. It takes a name and one press of a
                button.
              </p>
            )}
            {(isEmpty || isCreating) && (
              <CreateKey
                title={isEmpty ? 'Make your first key' : 'A new key'}
                onCreated={created}
                onUnsure={loaded.reload}
                onCancel={isEmpty ? undefined : cancel}
              />
            )}
            {made && (
              <NewKey
                key={made.record.id}
                {...made}
                onClose={() => {
                  show(null);
                  focusTop();
                }}
              />
            )}
            {!isEmpty && <KeySections records={items} events={events} />}
          </>
        )}
      </Loading>
    </div>
  );
}

/** A key that was just made, and how to use it right away. */
function NewKey({
  record,
  replaced,
  onClose,
}: {
  record: KeyRecord;
  /** The key in whose place it is. */
  replaced: KeyRecord | null;
  onClose: () => void;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), []);
  const { key, name, prefix } = record;
  return (
    <section class="card stack new-key" aria-labelledby="new-key">
      <h2 id="new-key" tabIndex={-1} ref={heading}>
        Your new key: <bdi class="key-name">{name}</bdi>
      </h2>
      {replaced && (
        <p>
          The old one, <code>{replaced.prefix}…</code>, does not work any more: put this in its
          place.
        </p>
      )}
      {key === undefined ? (
        <p>
          It begins with <code>{prefix}</code>, and could not be kept: reissue it to get another.
        </p>
      ) : (
        <>
          <CodeBlock name="API key" code={key} />
          <p class="notice">
            Keep it on your servers. In a web page or an app anyone can read it, and use up your
            files. You find it again in the list below.
          </p>
          <h3>Make a first picture smaller</h3>
          <p>
            Run this beside a picture named <code>photo.jpg</code>: the smaller one is{' '}
            <code>smaller.jpg</code>.
          </p>
          <SnippetTabs apiKey={key} />
        </>
      )}
      <p class="cluster">
        <button class="button" type="button" onClick={onClose}>
          Done
        </button>
        <a class="button quiet" href="/cabinet/statistics">
          See what it has saved
        </a>
      </p>
    </section>
  );
}
