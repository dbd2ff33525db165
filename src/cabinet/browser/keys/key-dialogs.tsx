import { useEffect } from 'preact/hooks';
import { useAction } from '../api/call.ts';
import { type Failure, isOutcomeUnknown } from '../api/failure.ts';
import type { KeyRecord } from '../api/wire.ts';
import { Modal } from '../parts/feedback.tsx';
import { changedSettings, draftOf, emptyDraft, newKeySettings } from './key-draft.ts';
import { KeyForm, useKeyForm } from './key-form.tsx';
import { isRevoked } from './key-state.ts';

/** Creates a key. */
export function CreateDialog({
  onCreated,
  onOutcomeUnknown,
  onClose,
}: {
  onCreated: (record: KeyRecord) => void;
  /** Called if there was no usable response: the key may have been created anyway. */
  onOutcomeUnknown: () => void;
  onClose: () => void;
}) {
  const action = useAction();
  const { failure } = action;
  const form = useKeyForm(emptyDraft, failure);
  const isUncertain = failure !== null && isOutcomeUnknown(failure);
  useEffect(() => {
    if (isUncertain) onOutcomeUnknown();
  }, [failure]);

  async function create() {
    const settings = newKeySettings(form.draft, Date.now());
    const record = await action.run<KeyRecord>('POST', '/v1/keys', settings);
    if (record) onCreated(record);
  }

  return (
    <Modal title="Create a key" isBusy={action.isBusy} onClose={onClose}>
      <KeyForm
        form={form}
        action={action}
        verb="Create key"
        currentExpiry={null}
        note={
          isUncertain && (
            <p>The key may have been created anyway. Check the list before trying again.</p>
          )
        }
        onSend={create}
        onCancel={onClose}
      />
    </Modal>
  );
}

/** Edits the labels and limits of a key. */
export function EditDialog({
  record,
  onSaved,
  onGone,
  onClose,
}: {
  record: KeyRecord;
  onSaved: (record: KeyRecord) => void;
  /** Called if the key no longer exists. */
  onGone: (failure: Failure) => void;
  onClose: () => void;
}) {
  const action = useAction();
  const { failure } = action;
  const form = useKeyForm(draftOf(record), failure);
  useEffect(() => {
    if (failure?.code === 'key_not_found') onGone(failure);
  }, [failure]);

  async function save() {
    const changes = changedSettings(record, form.draft, Date.now());
    if (changes === null) {
      onClose();
      return;
    }
    const saved = await action.run<KeyRecord>('PATCH', `/v1/keys/${record.id}`, changes);
    if (saved) onSaved(saved);
  }

  return (
    <Modal title="Edit key" isBusy={action.isBusy} onClose={onClose}>
      <KeyForm
        form={form}
        action={action}
        verb="Save"
        currentExpiry={record.expires_at}
        isRevoked={isRevoked(record, Date.now())}
        onSend={save}
        onCancel={onClose}
      />
    </Modal>
  );
}
