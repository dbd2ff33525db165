import type { ComponentChildren, TargetedSubmitEvent } from 'preact';
import type { Action } from '../api/use-action.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { LabelFields } from './label-fields.tsx';
import type { useLabelForm } from './use-label-form.ts';

/** Name and comment of a key, to be sent or given up; Escape gives up, too. */
export function LabelForm({
  form: { labels, change, complaints, isSound, nameField, notice },
  action: { isBusy, forget },
  isCard = false,
  verb,
  before,
  remark,
  onSend,
  onCancel,
}: {
  form: ReturnType<typeof useLabelForm>;
  action: Action;
  /** A card of its own, or a smaller part of one. */
  isCard?: boolean;
  /** What the button says that sends it. */
  verb: string;
  before?: ComponentChildren;
  /** What there is to say besides the failure. */
  remark?: ComponentChildren;
  /** Only with labels that can be sent, and not while some are on their way. */
  onSend: () => void;
  /** Absent: there is nothing to go back to. */
  onCancel?: (() => void) | undefined;
}) {
  const size = isCard ? '' : ' small';

  function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!isBusy && isSound()) onSend();
  }

  return (
    <form
      class={`${isCard ? 'card ' : ''}stack key-form`}
      noValidate
      onSubmit={submit}
      onKeyDown={(event) => {
        // Escape also ends the choice of a word in an input method
        if (event.key === 'Escape' && !event.isComposing && !isBusy) onCancel?.();
      }}
    >
      {before}
      <LabelFields
        labels={labels}
        complaints={complaints}
        nameField={nameField}
        onChange={(next) => {
          change(next);
          forget();
        }}
      />
      <FailureNotice failure={notice} />
      {remark}
      <p class="cluster">
        <button
          class={`button primary${size}`}
          type="submit"
          aria-busy={isBusy}
          aria-disabled={isBusy}
        >
          {verb}
        </button>
        {onCancel && (
          <button
            class={`button${size}`}
            type="button"
            aria-disabled={isBusy}
            onClick={() => isBusy || onCancel()}
          >
            Cancel
          </button>
        )}
      </p>
    </form>
  );
}
