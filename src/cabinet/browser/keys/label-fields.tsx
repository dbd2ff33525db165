import type { RefObject } from 'preact';
import { Field } from '../parts/field.tsx';
import { type LabelComplaints, type Labels, longest, oneLine } from './labels.ts';

/** The two inputs that name a key. Enter sends the form from both. */
export function LabelFields({
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
