import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

/** A modal dialog with a title, open for as long as it is rendered. Afterwards its opener has the focus again. */
export function Modal({
  title,
  kind = '',
  isBusy = false,
  onClose,
  children,
}: {
  title: ComponentChildren;
  /** A class, for dialogs that look different. */
  kind?: string;
  /** While this is true Escape does not close it. */
  isBusy?: boolean;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    // a layout effect: the next key press may be Escape
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
      // a second Escape closes it even if `cancel` is prevented: reopen it while it is rendered
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
