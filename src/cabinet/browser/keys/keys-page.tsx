import '../../design/keys.css';
import '../../design/key-dialogs.css';
import '../../design/row-menu.css';
import '../../design/secrets.css';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useLoaded } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';
import type { KeyRecord, List } from '../api/wire.ts';
import { copyText } from '../parts/clipboard.ts';
import { Loading } from '../parts/feedback.tsx';
import { CodeDialog, type FreshKey } from './code-dialog.tsx';
import { RevokeDialog, RotateDialog } from './end-dialogs.tsx';
import { CreateDialog, EditDialog } from './key-dialogs.tsx';
import { RevokedDialog } from './key-facts.tsx';
import { replacedKey, withChanged, withCreated, withRotated } from './key-list.ts';
import { KeySections } from './key-sections.tsx';
import { isRevoked, type KeyAction, requestsAddress } from './key-state.ts';
import { RequestsPage } from './requests-page.tsx';

/** The open dialog. */
type Open =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly record: KeyRecord }
  | {
      readonly kind: 'code';
      readonly record: KeyRecord;
      readonly fresh: FreshKey | null;
      readonly isRevealed?: boolean;
    };

/** The section of API keys: the list, or the requests of the key in the page's URL. */
export function KeysPage() {
  const { requests } = useLocation().query;
  const container = useRef<HTMLDivElement>(null);
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    // As on a page load, what is shown next begins at the top, also for screen readers.
    if (!isFirst.current) {
      container.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    isFirst.current = false;
  }, [requests]);
  return (
    <div tabIndex={-1} ref={container}>
      {requests === undefined ? <KeyList /> : <RequestsPage key={requests} keyId={requests} />}
    </div>
  );
}

/** The page for creating, showing, editing, rotating and revoking API keys. */
function KeyList() {
  const { route } = useLocation();
  const loaded = useLoaded<List<KeyRecord>>('/v1/keys?days=30');
  const now = useNow();
  const [open, setOpen] = useState<Open | null>(null);
  const [notice, setNotice] = useState<{ name: string; text: string } | null>(null);
  const toast = useToast();
  const createButton = useRef<HTMLButtonElement>(null);
  const noticeElement = useRef<HTMLParagraphElement>(null);
  const isEmpty = loaded.body?.items.length === 0;
  // The row that had the focus may be gone, so the focus moves to the notice.
  useLayoutEffect(() => noticeElement.current?.focus(), [notice]);

  function show(next: Open) {
    setNotice(null);
    setOpen(next);
  }

  /** Closes the dialog. If the element that opened it is gone, the focus moves to the button for new keys. */
  function close() {
    setOpen(null);
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) createButton.current?.focus();
    });
  }

  function showNotice(name: string, text: string) {
    setOpen(null);
    setNotice({ name, text });
  }

  function created(record: KeyRecord) {
    loaded.replace((list) => withCreated(list, record));
    show({ kind: 'code', record, fresh: { replaced: null } });
  }

  function saved(old: KeyRecord, record: KeyRecord) {
    loaded.replace((list) => withChanged(list, record));
    if (old.status === record.status) close();
    else showNotice(record.name, 'had already been revoked. Your changes are saved.');
  }

  function revoked(record: KeyRecord) {
    loaded.replace((list) => withChanged(list, record));
    showNotice(record.name, 'has been revoked. Requests that use it are now rejected.');
  }

  function rotated(old: KeyRecord, fresh: KeyRecord, overlapHours: number) {
    loaded.replace((list) => withRotated(list, old.id, fresh, overlapHours));
    const replaced = replacedKey(old, fresh, overlapHours);
    show({ kind: 'code', record: fresh, fresh: { replaced } });
  }

  /** Handles a key that was revoked, rotated or deleted elsewhere. */
  function gone({ name }: KeyRecord, { code }: Failure) {
    showNotice(
      name,
      code === 'key_not_found' ? 'no longer exists.' : 'had already been replaced or revoked.',
    );
    loaded.reload();
  }

  async function act(action: KeyAction, record: KeyRecord) {
    if (action === 'code') return show({ kind: 'code', record, fresh: null });
    if (action === 'requests') return route(requestsAddress(record.id));
    if (action !== 'copy') return show({ kind: action, record });
    setNotice(null);
    if (await copyText(record.key ?? '')) toast.show(`Copied the key “${record.name}”`);
    else show({ kind: 'code', record, fresh: null, isRevealed: true });
  }

  return (
    <div class="keys">
      <div class="stack">
        <div class="cluster apart">
          <h1>Keys</h1>
          {loaded.body && !isEmpty && (
            <button
              class="button primary"
              type="button"
              ref={createButton}
              onClick={() => show({ kind: 'create' })}
            >
              Create key
            </button>
          )}
        </div>
        {notice && (
          <p class="notice" tabIndex={-1} ref={noticeElement}>
            <bdi class="whole-name">{notice.name}</bdi> {notice.text}
          </p>
        )}
        <Loading loaded={loaded}>
          {({ items }) =>
            isEmpty ? (
              <NoKeys onCreate={() => show({ kind: 'create' })} />
            ) : (
              <KeySections records={items} now={now} onAction={act} />
            )
          }
        </Loading>
      </div>
      {open?.kind === 'create' && (
        <CreateDialog onCreated={created} onOutcomeUnknown={loaded.reload} onClose={close} />
      )}
      {open?.kind === 'edit' && (
        <EditDialog
          record={open.record}
          onSaved={(record) => saved(open.record, record)}
          onGone={(failure) => gone(open.record, failure)}
          onClose={close}
        />
      )}
      {open?.kind === 'rotate' && (
        <RotateDialog
          record={open.record}
          onRotated={(fresh, hours) => rotated(open.record, fresh, hours)}
          onOutcomeUnknown={loaded.reload}
          onGone={(failure) => gone(open.record, failure)}
          onClose={close}
        />
      )}
      {open?.kind === 'revoke' && (
        <RevokeDialog
          record={open.record}
          onRevoked={revoked}
          onGone={(failure) => gone(open.record, failure)}
          onClose={close}
        />
      )}
      {open?.kind === 'code' &&
        (isRevoked(open.record, now) ? (
          <RevokedDialog record={open.record} onClose={close} />
        ) : (
          <CodeDialog
            {...open}
            onArrived={loaded.reload}
            onRotate={() => show({ kind: 'rotate', record: open.record })}
            onClose={close}
          />
        ))}
      <Toast text={toast.text} />
    </div>
  );
}

/** Shown while there are no keys. */
function NoKeys({ onCreate }: { onCreate: () => void }) {
  return (
    <div class="card no-keys">
      <svg viewBox="0 0 24 24" width="40" height="40" aria-hidden="true">
        <circle cx="8" cy="15" r="4.5" />
        <path d="M11.2 11.8 20 3m-3.5 3.5 3 3M14 9l2 2" />
      </svg>
      <h2>Create your first key</h2>
      <p class="soft">Your server sends it with every image. The code to do that comes with it.</p>
      <button class="button primary" type="button" onClick={onCreate}>
        Create key
      </button>
    </div>
  );
}

/** Milliseconds for which a toast is shown. */
const duration = 2500;

/** A confirmation that disappears by itself. */
function useToast(): { text: string; show: (text: string) => void } {
  const [toast, setToast] = useState({ text: '' });
  useEffect(() => {
    if (toast.text === '') return;
    const timer = setTimeout(() => setToast({ text: '' }), duration);
    return () => clearTimeout(timer);
  }, [toast]);
  const show = useCallback((text: string) => setToast({ text }), []);
  return { text: toast.text, show };
}

/** The live region for toasts; always rendered, so that screen readers announce them. */
function Toast({ text }: { text: string }) {
  return (
    <div class="toast" role="status">
      {text && <p>{text}</p>}
    </div>
  );
}

/** Milliseconds between updates of the time; times are shown to the minute. */
const interval = 30_000;

/** The current time, for relative times. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), interval);
    return () => clearInterval(timer);
  }, []);
  return now;
}
