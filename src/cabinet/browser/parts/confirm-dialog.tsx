import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Failure } from '../api/failure.ts';
import { FailureNotice } from './failure-notice.tsx';

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
