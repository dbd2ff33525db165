import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { isUnsure } from '../api/failure.ts';
import { useAction } from '../api/use-action.ts';
import type { KeyRecord } from '../api/wire.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { LabelFields } from './label-fields.tsx';
import { useLabelForm } from './use-label-form.ts';

/** The form that makes a key. */
export function CreateKey({
  title,
  onCreated,
  onUnsure,
  onCancel,
}: {
  title: string;
  onCreated: (record: KeyRecord) => void;
  /** No answer has come: the key may have been made all the same. */
  onUnsure: () => void;
  /** Absent: there is nothing to go back to. */
  onCancel?: (() => void) | undefined;
}) {
  const { isBusy, failure, run, forget } = useAction();
  const { labels, change, complaints, isSound, nameField, notice } = useLabelForm(
    { name: '', comment: '' },
    failure,
  );
  useLayoutEffect(() => {
    // asked for by a button, whose place this takes
    if (onCancel) nameField.current?.focus();
  }, []);

  const isInDoubt = failure !== null && isUnsure(failure);
  useEffect(() => {
    if (isInDoubt) onUnsure();
  }, [failure]);

  async function create(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy || !isSound()) return;
    const record = await run<KeyRecord>('POST', '/v1/keys', labels);
    if (record) onCreated(record);
  }

  return (
    <form
      class="card stack key-form"
      noValidate
      onSubmit={create}
      onKeyDown={(event) => {
        // Escape also ends the choice of a word in an input method
        if (event.key === 'Escape' && !event.isComposing && !isBusy) onCancel?.();
      }}
    >
      <h2>{title}</h2>
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
      {isInDoubt && (
        <p>The key may have been made all the same: look at the list before you try again.</p>
      )}
      <p class="cluster">
        <button class="button primary" type="submit" aria-busy={isBusy} aria-disabled={isBusy}>
          Create key
        </button>
        {onCancel && (
          <button
            class="button"
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
