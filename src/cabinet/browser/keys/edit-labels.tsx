import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { Failure } from '../api/failure.ts';
import { useAction } from '../api/use-action.ts';
import type { KeyRecord } from '../api/wire.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { LabelFields } from './label-fields.tsx';
import { changedLabels } from './labels.ts';
import { useLabelForm } from './use-label-form.ts';

/** Name and comment of a key, changed where they stand. */
export function EditLabels({
  record,
  onSaved,
  onGone,
  onClose,
}: {
  record: KeyRecord;
  onSaved: (record: KeyRecord) => void;
  /** The key does not exist any more. */
  onGone: (failure: Failure) => void;
  onClose: () => void;
}) {
  const { isBusy, failure, run, forget } = useAction();
  const { labels, change, complaints, isSound, nameField, notice } = useLabelForm(record, failure);
  useLayoutEffect(() => nameField.current?.select(), []);
  useEffect(() => {
    if (failure?.code === 'key_not_found') onGone(failure);
  }, [failure]);

  async function save(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy || !isSound()) return;
    const changes = changedLabels(record, labels);
    if (changes === null) {
      onClose();
      return;
    }
    const saved = await run<KeyRecord>('PATCH', `/v1/keys/${record.id}`, changes);
    if (saved === null) return;
    onSaved(saved);
    onClose();
  }

  return (
    <form
      class="stack key-form"
      noValidate
      onSubmit={save}
      onKeyDown={(event) => {
        // Escape also ends the choice of a word in an input method
        if (event.key === 'Escape' && !event.isComposing && !isBusy) onClose();
      }}
    >
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
      <p class="cluster">
        <button
          class="button primary small"
          type="submit"
          aria-busy={isBusy}
          aria-disabled={isBusy}
        >
          Save
        </button>
        <button
          class="button small"
          type="button"
          aria-disabled={isBusy}
          onClick={() => isBusy || onClose()}
        >
          Cancel
        </button>
      </p>
    </form>
  );
}
