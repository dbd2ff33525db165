import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

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
