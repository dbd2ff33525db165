import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { Failure } from '../api/failure.ts';
import { useAction } from '../api/use-action.ts';
import type { KeyRecord } from '../api/wire.ts';
import { LabelForm } from './label-form.tsx';
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
  const action = useAction();
  const { failure } = action;
  const form = useLabelForm(record, failure);
  useLayoutEffect(() => form.nameField.current?.select(), []);
  useEffect(() => {
    if (failure?.code === 'key_not_found') onGone(failure);
  }, [failure]);

  async function save() {
    const changes = changedLabels(record, form.labels);
    if (changes === null) {
      onClose();
      return;
    }
    const saved = await action.run<KeyRecord>('PATCH', `/v1/keys/${record.id}`, changes);
    if (saved === null) return;
    onSaved(saved);
    onClose();
  }

  return <LabelForm form={form} action={action} verb="Save" onSend={save} onCancel={onClose} />;
}
