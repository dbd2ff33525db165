import { useEffect, useLayoutEffect } from 'preact/hooks';
import { isUnsure } from '../api/failure.ts';
import { useAction } from '../api/use-action.ts';
import type { KeyRecord } from '../api/wire.ts';
import { LabelForm } from './label-form.tsx';
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
  const action = useAction();
  const { failure } = action;
  const form = useLabelForm({ name: '', comment: '' }, failure);
  useLayoutEffect(() => {
    // asked for by a button, whose place this takes
    if (onCancel) form.nameField.current?.focus();
  }, []);

  const isInDoubt = failure !== null && isUnsure(failure);
  useEffect(() => {
    if (isInDoubt) onUnsure();
  }, [failure]);

  async function create() {
    const record = await action.run<KeyRecord>('POST', '/v1/keys', form.labels);
    if (record) onCreated(record);
  }

  return (
    <LabelForm
      form={form}
      action={action}
      isCard
      verb="Create key"
      before={<h2>{title}</h2>}
      remark={
        isInDoubt && (
          <p>The key may have been made all the same: look at the list before you try again.</p>
        )
      }
      onSend={create}
      onCancel={onCancel}
    />
  );
}
