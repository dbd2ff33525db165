import type { ComponentChildren, RefObject, TargetedSubmitEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Action, useAction } from '../api/call.ts';
import { type Failure, isUnsure } from '../api/failure.ts';
import type { KeyRecord } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { Field } from '../parts/field.tsx';
import {
  changedLabels,
  type LabelComplaints,
  type Labels,
  labelComplaints,
  longest,
  oneLine,
  serviceComplaints,
} from './labels.ts';

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

/** Name and comment of a key, to be sent or given up; Escape gives up, too. */
function LabelForm({
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

/** The two inputs that name a key. Enter sends the form from both. */
function LabelFields({
  labels,
  complaints,
  nameField,
  onChange,
}: {
  labels: Labels;
  complaints: LabelComplaints;
  nameField: RefObject<HTMLInputElement | null>;
  onChange: (labels: Labels) => void;
}) {
  return (
    <>
      <Field label="Name" complaint={complaints.name}>
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
        hint={`If you like: where the key is used. Up to ${longest.comment} characters.`}
        complaint={complaints.comment}
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

/** What is typed as name and comment, and what is wrong with it. */
function useLabelForm(initial: Labels, failure: Failure | null) {
  const [labels, setLabels] = useState(initial);
  const [own, setOwn] = useState<LabelComplaints>({});
  const nameField = useRef<HTMLInputElement>(null);
  const complaints = { ...serviceComplaints(failure), ...own };
  const isComplaining = Object.values(complaints).some(Boolean);

  useEffect(() => {
    if (!isComplaining) return;
    const form = nameField.current?.form;
    form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failure, own]);

  /** Whether it can be sent; if not, it says at the field why. */
  function isSound(): boolean {
    const found = labelComplaints(labels);
    setOwn(found);
    return Object.keys(found).length === 0;
  }

  function change(next: Labels) {
    setLabels(next);
    setOwn({});
  }

  // complaints that stand at a field need no notice besides
  const notice =
    failure !== null && Object.keys(serviceComplaints(failure)).length === 0 ? failure : null;
  return { labels, change, complaints, isSound, nameField, notice };
}
