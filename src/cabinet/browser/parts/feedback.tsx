import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Loaded } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';

/** Renders loaded data, or its loading or error state. */
export function Loading<Body>({
  loaded,
  skeleton,
  children,
}: {
  loaded: Omit<Loaded<Body>, 'replace'>;
  /** Placeholder with the height of the content, so that nothing moves when it has loaded. */
  skeleton?: ComponentChildren;
  children: (body: Body) => ComponentChildren;
}) {
  const { body, failure, isLoading } = loaded;
  const container = useRef<HTMLDivElement>(null);
  const isRetrying = useRef(false);
  useLayoutEffect(() => {
    if (failure !== null || !isRetrying.current) return;
    isRetrying.current = false;
    // The retry button is gone, so the focus moves to its replacement.
    if (document.activeElement === document.body) container.current?.focus();
  }, [failure]);

  function retry() {
    isRetrying.current = true;
    loaded.reload();
  }

  return (
    <div class="stack loaded" tabIndex={-1} ref={container} aria-busy={isLoading}>
      <FailureNotice failure={failure} isBusy={isLoading} onRetry={retry} />
      {body !== null && children(body)}
      {body === null && failure === null && isLoading && (
        <>
          <p class={skeleton ? 'visually-hidden' : 'soft late'}>Loading…</p>
          {skeleton && <div aria-hidden="true">{skeleton}</div>}
        </>
      )}
    </div>
  );
}

/** Shows a failure, with a retry button or a link to sign in if applicable. */
export function FailureNotice({
  failure,
  isAlert = true,
  isCalm = false,
  isBusy = false,
  onRetry,
}: {
  failure: Failure | null;
  /** Whether screen readers announce it. Off where many may appear at once. */
  isAlert?: boolean;
  /** Whether it is shown as information rather than as an error. */
  isCalm?: boolean;
  /** Whether a retry is running. */
  isBusy?: boolean;
  onRetry?: (() => void) | undefined;
}) {
  if (failure === null) return null;
  const isSessionOver = failure.code === 'auth_required';
  return (
    <div class={`notice stack ${isCalm ? '' : 'error'}`}>
      {/* The key re-announces a repeated failure; the button below is kept, and with it the focus. */}
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
              <span aria-live="polite">{isBusy ? 'Retrying…' : 'Try again'}</span>
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
        <p class="soft">Request ID: {failure.requestId}</p>
      )}
    </div>
  );
}

/** A modal dialog that confirms a destructive action. It is open as long as it is rendered. */
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
  /** Label of the confirm button. */
  action: string;
  isBusy: boolean;
  failure: Failure | null;
  onConfirm: () => void;
  onCancel: () => void;
  /** Describes the consequences. */
  children: ComponentChildren;
}) {
  return (
    <Modal title={title} isBusy={isBusy} onClose={onCancel}>
      {children}
      <FailureNotice failure={failure} />
      <DialogFoot action={action} isBusy={isBusy} onConfirm={onConfirm} onCancel={onCancel} />
    </Modal>
  );
}

/** The buttons at the end of a dialog: one leaves, and the other one acts. */
export function DialogFoot({
  action,
  isHarmless = false,
  isBusy,
  onConfirm,
  onCancel,
}: {
  /** Label of the confirm button. */
  action: string;
  /** Whether nothing stops working at once. */
  isHarmless?: boolean;
  isBusy: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}) {
  return (
    <p class="cluster dialog-foot">
      {/* aria-disabled, because `disabled` would lose the focus. */}
      <button
        class="button"
        type="button"
        // A key still held down from opening the dialog must not confirm it.
        autofocus
        aria-disabled={isBusy}
        onClick={() => isBusy || onCancel()}
      >
        Cancel
      </button>
      <button
        class={isHarmless ? 'button primary' : 'button danger'}
        type="button"
        aria-disabled={isBusy}
        onClick={() => isBusy || onConfirm()}
      >
        {isBusy ? 'Please wait…' : action}
      </button>
    </p>
  );
}

/** A modal dialog with a title, open as long as it is rendered. Closing it returns the focus to its opener. */
export function Modal({
  title,
  kind = '',
  isBusy = false,
  onClose,
  children,
}: {
  title: ComponentChildren;
  /** A CSS class, for dialogs with a different layout. */
  kind?: string;
  /** While true, Escape does not close the dialog. */
  isBusy?: boolean;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    // A layout effect, because the next key press may be Escape.
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
      class={`card stack ${kind}`.trim()}
      ref={dialog}
      aria-labelledby={titleId}
      // A second Escape closes the dialog even if `cancel` is prevented, so it is reopened while it is rendered.
      onClose={(event) => event.currentTarget.isConnected && event.currentTarget.showModal()}
      onCancel={(event) => {
        event.preventDefault();
        if (!isBusy) onClose();
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}
