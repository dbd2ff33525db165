import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Loaded } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';

/** What is shown of something loaded: a word while waiting, why not, or the thing itself. */
export function Loading<Body>({
  loaded,
  children,
}: {
  loaded: Loaded<Body>;
  children: (body: Body) => ComponentChildren;
}) {
  const { body, failure, isLoading } = loaded;
  const place = useRef<HTMLDivElement>(null);
  const isRetried = useRef(false);
  useLayoutEffect(() => {
    if (failure !== null || !isRetried.current) return;
    isRetried.current = false;
    // the button that was pressed is gone: readers go on at what has come instead
    if (document.activeElement === document.body) place.current?.focus();
  }, [failure]);

  function retry() {
    isRetried.current = true;
    loaded.reload();
  }

  return (
    <div class="stack loaded" tabIndex={-1} ref={place} aria-busy={isLoading}>
      <FailureNotice failure={failure} isBusy={isLoading} onRetry={retry} />
      {body !== null && children(body)}
      {body === null && failure === null && isLoading && <p class="soft late">One moment …</p>}
    </div>
  );
}

/** Says what went wrong, and offers what can be done about it. */
export function FailureNotice({
  failure,
  isAlert = true,
  isBusy = false,
  onRetry,
}: {
  failure: Failure | null;
  /** Whether it is announced by itself; not where many may stand together. */
  isAlert?: boolean;
  /** It is being tried again. */
  isBusy?: boolean;
  onRetry?: (() => void) | undefined;
}) {
  if (failure === null) return null;
  const isSessionOver = failure.code === 'auth_required';
  return (
    <div class="notice error stack">
      {/* each failure is announced, be it in the same words; the button below stays, and keeps the focus */}
      <p key={failure} role={isAlert ? 'alert' : undefined}>
        {failure.message}
      </p>
      {(onRetry !== undefined || isSessionOver) && (
        <p class="cluster">
          {onRetry && (
            <button
              class="button small"
              type="button"
              aria-busy={isBusy}
              aria-disabled={isBusy}
              onClick={() => isBusy || onRetry()}
            >
              <span aria-live="polite">{isBusy ? 'One moment …' : 'Try again'}</span>
            </button>
          )}
          {isSessionOver && (
            <a class="button small" href="/sign-in" target="_blank" rel="noreferrer">
              Sign in
            </a>
          )}
        </p>
      )}
      {failure.requestId && failure.code === 'internal_error' && (
        <p class="soft">Request {failure.requestId}</p>
      )}
    </div>
  );
}

/** Asks before something that cannot be undone. Shown as long as it is rendered. */
export function ConfirmDialog({
  title,
  action,
  isBusy,
  failure,
  onConfirm,
  onCancel,
  children,
}: {
  title: string;
  /** What the button says that does it. */
  action: string;
  isBusy: boolean;
  failure: Failure | null;
  onConfirm: () => void;
  onCancel: () => void;
  /** What will happen. */
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    // before the next key is pressed, which may be Escape
    const opener = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      shown?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      class="card stack"
      ref={dialog}
      aria-labelledby={titleId}
      // a second Escape closes it whatever we say: it is shown again as long as it is rendered
      onClose={(event) => event.currentTarget.isConnected && event.currentTarget.showModal()}
      onCancel={(event) => {
        event.preventDefault();
        if (!isBusy) onCancel();
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
      <FailureNotice failure={failure} />
      <p class="cluster">
        {/* not disabled: the focus would be lost */}
        <button
          class="button danger"
          type="button"
          aria-disabled={isBusy}
          onClick={() => isBusy || onConfirm()}
        >
          {isBusy ? 'One moment …' : action}
        </button>
        <button
          class="button"
          type="button"
          // a key that is held down must not confirm what it has opened
          autofocus
          aria-disabled={isBusy}
          onClick={() => isBusy || onCancel()}
        >
          Cancel
        </button>
      </p>
    </dialog>
  );
}
