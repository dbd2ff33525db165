import type { ComponentChildren, RefObject, TargetedSubmitEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Action, useAction } from '../api/call.ts';
import { type Failure, isOutcomeUnknown } from '../api/failure.ts';
import type { KeyRecord } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { Field } from '../parts/field.tsx';
import {
  changedLabels,
  type LabelErrors,
  type Labels,
  labelErrors,
  maxLengths,
  oneLine,
  serviceErrors,
} from './labels.ts';

/** The form that creates a key. */
export function CreateKey({
  title,
  onCreated,
  onOutcomeUnknown,
  onCancel,
}: {
  title: string;
  onCreated: (record: KeyRecord) => void;
  /** Called if there was no usable answer: the key may have been created anyway. */
  onOutcomeUnknown: () => void;
  /** Absent if the form cannot be closed. */
  onCancel?: (() => void) | undefined;
}) {
  const action = useAction();
  const { failure } = action;
  const form = useLabelForm({ name: '', comment: '' }, failure);
  useLayoutEffect(() => {
    // the form replaces the button that opened it
    if (onCancel) form.nameField.current?.focus();
  }, []);

  const isUncertain = failure !== null && isOutcomeUnknown(failure);
  useEffect(() => {
    if (isUncertain) onOutcomeUnknown();
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
      note={
        isUncertain && (
          <p>The key may have been created anyway. Check the list before trying again.</p>
        )
      }
      onSend={create}
      onCancel={onCancel}
    />
  );
}

/** Edits the name and comment of a key in place. */
export function EditLabels({
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

/** The form for the name and comment of a key. Escape cancels. */
function LabelForm({
  form: { labels, change, errors, validate, nameField, notice },
  action: { isBusy, clearFailure },
  isCard = false,
  verb,
  before,
  note,
  onSend,
  onCancel,
}: {
  form: ReturnType<typeof useLabelForm>;
  action: Action;
  /** Whether the form is a card by itself, or a smaller part of one. */
  isCard?: boolean;
  /** Label of the submit button. */
  verb: string;
  before?: ComponentChildren;
  /** Shown in addition to the failure. */
  note?: ComponentChildren;
  /** Called only with valid labels, and not while a request is running. */
  onSend: () => void;
  /** Absent if the form cannot be closed. */
  onCancel?: (() => void) | undefined;
}) {
  const size = isCard ? '' : ' small';

  function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!isBusy && validate()) onSend();
  }

  return (
    <form
      class={`${isCard ? 'card ' : ''}stack key-form`}
      noValidate
      onSubmit={submit}
      onKeyDown={(event) => {
        // in an input method, Escape ends the composition
        if (event.key === 'Escape' && !event.isComposing && !isBusy) onCancel?.();
      }}
    >
      {before}
      <LabelFields
        labels={labels}
        errors={errors}
        nameField={nameField}
        onChange={(next) => {
          change(next);
          clearFailure();
        }}
      />
      <FailureNotice failure={notice} />
      {note}
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

/** The inputs for name and comment. Enter submits the form from either. */
function LabelFields({
  labels,
  errors,
  nameField,
  onChange,
}: {
  labels: Labels;
  errors: LabelErrors;
  nameField: RefObject<HTMLInputElement | null>;
  onChange: (labels: Labels) => void;
}) {
  return (
    <>
      <Field label="Name" error={errors.name}>
        <input
          ref={nameField}
          name="name"
          autocomplete="off"
          required
          placeholder="shop"
          value={labels.name}
          onInput={(event: { currentTarget: HTMLInputElement }) =>
            onChange({ ...labels, name: event.currentTarget.value })
          }
        />
      </Field>
      <Field
        label="Comment"
        hint={`Optional: where the key is used. Up to ${maxLengths.comment} characters.`}
        error={errors.comment}
      >
        <textarea
          name="comment"
          rows={2}
          value={labels.comment}
          onInput={(event: { currentTarget: HTMLTextAreaElement }) =>
            onChange({ ...labels, comment: oneLine(event.currentTarget.value) })
          }
          onKeyDown={(event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }) => {
            if (event.key !== 'Enter' || event.isComposing) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
        />
      </Field>
    </>
  );
}

/** State of the label form: the values and their errors. */
function useLabelForm(initial: Labels, failure: Failure | null) {
  const [labels, setLabels] = useState(initial);
  const [localErrors, setLocalErrors] = useState<LabelErrors>({});
  const nameField = useRef<HTMLInputElement>(null);
  const errors = { ...serviceErrors(failure), ...localErrors };
  const hasErrors = Object.values(errors).some(Boolean);

  useEffect(() => {
    if (!hasErrors) return;
    const form = nameField.current?.form;
    form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failure, localErrors]);

  /** Whether the labels are valid; if not, shows an error at each invalid field. */
  function validate(): boolean {
    const found = labelErrors(labels);
    setLocalErrors(found);
    return Object.keys(found).length === 0;
  }

  function change(next: Labels) {
    setLabels(next);
    setLocalErrors({});
  }

  // errors shown at a field need no notice
  const notice =
    failure !== null && Object.keys(serviceErrors(failure)).length === 0 ? failure : null;
  return { labels, change, errors, validate, nameField, notice };
}
