import type { ComponentChildren, RefObject, TargetedSubmitEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Action } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { Field } from '../parts/field.tsx';
import { ExpiryField } from './expiry-field.tsx';
import { type Draft, type DraftErrors, draftErrors, oneLine, serviceErrors } from './key-draft.ts';

/** The form in which a key is created or edited. */
export function KeyForm({
  form: { draft, change, errors, validate, nameField, notice },
  action: { isBusy, clearFailure },
  verb,
  currentExpiry,
  isRevoked = false,
  note,
  onSend,
  onCancel,
}: {
  form: ReturnType<typeof useKeyForm>;
  action: Action;
  /** Label of the submit button. */
  verb: string;
  /** The key's current expiry. */
  currentExpiry: string | null;
  /** Whether the key is revoked; if so, only its labels can be changed. */
  isRevoked?: boolean;
  /** Shown in addition to the failure. */
  note?: ComponentChildren;
  /** Called only with a valid draft, and never while a request is running. */
  onSend: () => void;
  onCancel: () => void;
}) {
  function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!isBusy && validate()) onSend();
  }

  function edit(changed: Partial<Draft>) {
    change({ ...draft, ...changed });
    clearFailure();
  }

  return (
    <form class="stack key-form" noValidate onSubmit={submit}>
      <LabelFields draft={draft} errors={errors} nameField={nameField} onChange={edit} />
      {!isRevoked && (
        <div class="key-limits">
          <LimitField draft={draft} errors={errors} onChange={edit} />
          <ExpiryField
            draft={draft}
            errors={errors}
            currentExpiry={currentExpiry}
            onChange={edit}
          />
        </div>
      )}
      <FailureNotice failure={notice} />
      {note}
      <p class="cluster dialog-foot">
        <button
          class="button"
          type="button"
          aria-disabled={isBusy}
          onClick={() => isBusy || onCancel()}
        >
          Cancel
        </button>
        <button class="button primary" type="submit" aria-busy={isBusy} aria-disabled={isBusy}>
          {verb}
        </button>
      </p>
    </form>
  );
}

/** Props common to the fields of the form. */
export interface Fields {
  readonly draft: Draft;
  readonly errors: DraftErrors;
  readonly onChange: (changed: Partial<Draft>) => void;
}

/** The inputs for name and comment. Enter submits the form from either. */
function LabelFields({
  draft,
  errors,
  nameField,
  onChange,
}: Fields & { nameField: RefObject<HTMLInputElement | null> }) {
  return (
    <>
      <Field label="Name" error={errors.name}>
        <input
          ref={nameField}
          name="name"
          autocomplete="off"
          autofocus
          required
          placeholder="shop"
          value={draft.name}
          onInput={(event: { currentTarget: HTMLInputElement }) =>
            onChange({ name: event.currentTarget.value })
          }
        />
      </Field>
      <Field label="Comment" hint="Optional: where the key is used." error={errors.comment}>
        <textarea
          name="comment"
          rows={2}
          value={draft.comment}
          onInput={(event: { currentTarget: HTMLTextAreaElement }) =>
            onChange({ comment: oneLine(event.currentTarget.value) })
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

function LimitField({ draft, errors, onChange }: Fields) {
  return (
    <Field
      label="Monthly limit"
      hint="Files per calendar month (UTC). Empty: no limit."
      error={errors.monthly_limit}
    >
      <input
        name="monthly_limit"
        inputMode="numeric"
        autocomplete="off"
        placeholder="No limit"
        value={draft.limit}
        onInput={(event: { currentTarget: HTMLInputElement }) =>
          onChange({ limit: event.currentTarget.value })
        }
      />
    </Field>
  );
}

/** The state of the key form: the draft and its errors. */
export function useKeyForm(initial: Draft, failure: Failure | null) {
  const [draft, setDraft] = useState(initial);
  const [localErrors, setLocalErrors] = useState<DraftErrors>({});
  const nameField = useRef<HTMLInputElement>(null);
  const reported = serviceErrors(failure);
  const errors = { ...reported, ...localErrors };
  const hasErrors = Object.values(errors).some(Boolean);

  // A layout effect, because someone may already be typing on.
  useLayoutEffect(() => {
    if (!hasErrors) return;
    const form = nameField.current?.form;
    form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failure, localErrors]);

  /** Whether the draft is valid; if not, shows an error at each invalid field. */
  function validate(): boolean {
    const found = draftErrors(draft, Date.now());
    setLocalErrors(found);
    return Object.keys(found).length === 0;
  }

  function change(next: Draft) {
    setDraft(next);
    setLocalErrors({});
  }

  // Errors shown at a field need no notice.
  const notice = failure !== null && Object.keys(reported).length === 0 ? failure : null;
  return { draft, change, errors, validate, nameField, notice };
}
