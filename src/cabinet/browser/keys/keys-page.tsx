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

interface CreatedKey {
  readonly record: KeyRecord;
  readonly replaced: KeyRecord | null;
}

/** The page for creating, showing, editing, reissuing and revoking API keys. */
export function KeysPage() {
  const loaded = useLoaded<List<KeyRecord>>('/v1/keys');
  const [isCreating, setCreating] = useState(false);
  const [latest, setLatest] = useState<CreatedKey | null>(null);
  const [notice, setNotice] = useState<{ name: string; text: string } | null>(null);
  const createButton = useRef<HTMLButtonElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const noticePlace = useRef<HTMLParagraphElement>(null);
  const isEmpty = loaded.body?.items.length === 0;
  // the pressed button is gone: move the focus to the notice
  useLayoutEffect(() => noticePlace.current?.focus(), [notice]);

  function show(next: CreatedKey | null) {
    setLatest(next);
    setNotice(null);
  }

  /** Moves the focus after the focused element has been removed. */
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

  /** Updates a key that turned out to be revoked. Its card moves, so the notice takes the focus. */
  function showRevoked(record: KeyRecord, text: string) {
    change(record);
    if (latest?.record.id === record.id) setLatest(null);
    setNotice({ name: record.name, text });
  }

  const events: KeyEvents = {
    onSaved: (old, saved) => {
      if (old.status === saved.status) change(saved);
      else showRevoked(saved, 'had already been revoked. Your changes are saved.');
    },
    onRevoked: (record) =>
      showRevoked(record, 'has been revoked. Requests that use it are now rejected.'),
    onReissued: (old, fresh) => {
      loaded.replace((list) => withReissued(list, old.id, fresh));
      show({ record: fresh, replaced: old });
    },
    onGone: (record, { code }) => {
      const text = code === 'key_not_found' ? 'no longer exists.' : 'had already been revoked.';
      setNotice({ name: record.name, text });
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
      {notice && (
        <p class="notice" tabIndex={-1} ref={noticePlace}>
          <bdi class="key-name">{notice.name}</bdi> {notice.text}
        </p>
      )}
      <Loading loaded={loaded}>
        {({ items }) => (
          <>
            {isEmpty && (
              <p class="lead">
                Your server needs an API key to send images. Give it a name to get started.
              </p>
            )}
            {(isEmpty || isCreating) && (
              <CreateKey
                title={isEmpty ? 'Create your first key' : 'New key'}
                onCreated={created}
                onOutcomeUnknown={loaded.reload}
                onCancel={isEmpty ? undefined : cancel}
              />
            )}
            {latest && (
              <NewKey
                key={latest.record.id}
                {...latest}
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

/** A newly created key, with code that uses it. */
function NewKey({
  record,
  replaced,
  onClose,
}: {
  record: KeyRecord;
  /** The key that it replaces. */
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
          The old key, <code>{replaced.prefix}…</code>, no longer works. Replace it with this one.
        </p>
      )}
      {key === undefined ? (
        <p>
          It starts with <code>{prefix}</code> but could not be stored. Reissue it to get another
          one.
        </p>
      ) : (
        <>
          <CodeBlock name="API key" code={key} />
          <p class="notice">
            Keep it on your servers: in a web page or an app, anyone could read it and use up your
            files. You can find it again in the list below.
          </p>
          <h3>Optimize your first image</h3>
          <p>
            Run this in a folder with an image named <code>photo.jpg</code>. The result is saved as{' '}
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
          View statistics
        </a>
      </p>
    </section>
  );
}
