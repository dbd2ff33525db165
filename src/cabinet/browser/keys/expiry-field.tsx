import { dateTimeText, localDateText } from '../../text/formatting.ts';
import { Field } from '../parts/field.tsx';
import { type Expiry, expiresAt, todayOf } from './key-draft.ts';
import type { Fields } from './key-form.tsx';

const choices: readonly { readonly value: Expiry; readonly label: string }[] = [
  { value: 'none', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
  { value: 'date', label: 'On a date…' },
];

/** Chooses when a key expires; a specific date has a field of its own. */
export function ExpiryField({
  draft,
  errors,
  currentExpiry,
  onChange,
}: Fields & {
  /** The key's current expiry. */
  currentExpiry: string | null;
}) {
  const isDated = draft.expiry === 'date';
  const end = expiresAt(draft, currentExpiry, Date.now());
  return (
    <>
      <Field
        label="Expires"
        hint={isDated ? 'The key works to the end of that day, your time.' : endText(end)}
        error={isDated ? undefined : errors.expires_at}
      >
        <select
          name="expiry"
          value={draft.expiry}
          onChange={(event: { currentTarget: HTMLSelectElement }) =>
            onChange({ expiry: event.currentTarget.value as Expiry })
          }
        >
          {currentExpiry !== null && (
            <option value="kept">{localDateText(currentExpiry)}, as now</option>
          )}
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </Field>
      {isDated && (
        <div class="expiry-date">
          <Field label="Last day" error={errors.expires_at}>
            <input
              type="date"
              name="date"
              min={todayOf(Date.now())}
              value={draft.date}
              onInput={(event: { currentTarget: HTMLInputElement }) =>
                onChange({ date: event.currentTarget.value })
              }
            />
          </Field>
        </div>
      )}
    </>
  );
}

function endText(end: string | null): string {
  if (end === null) return 'The key works until you revoke it.';
  const isPast = Date.parse(end) <= Date.now();
  return `${isPast ? 'Stopped' : 'Stops'} working ${dateTimeText(end)}, your time.`;
}
