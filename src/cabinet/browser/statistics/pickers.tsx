import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { dayText } from '../../text/formatting.ts';
import type { Statistics } from '../api/wire.ts';
import { Field } from '../parts/field.tsx';
import {
  type InvalidRange,
  invalidRange,
  pageAddress,
  presetRange,
  presets,
  type Selection,
} from './range.ts';

/** Selects the days: preset ranges as links, and two date fields behind “Custom range”. */
export function RangePicker({ selection, today }: { selection: Selection; today: string }) {
  const { route } = useLocation();
  const { from, to, keyId, preset } = selection;
  const [custom, setCustom] = useState({ from, to });
  // A new object on each rejected submit, so that the effect runs again.
  const [invalid, setInvalid] = useState<InvalidRange | null>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    setCustom({ from, to });
    setInvalid(null);
  }, [from, to]);
  useLayoutEffect(() => {
    if (invalid) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [invalid]);

  function show(event: Event) {
    event.preventDefault();
    const found = invalidRange(custom);
    setInvalid(found);
    if (found === null) route(pageAddress({ ...custom, preset: null, keyId }));
  }

  const errorAt = (field: InvalidRange['field']) =>
    invalid?.field === field ? invalid.text : undefined;
  return (
    <>
      <nav class="choice" aria-label="Days">
        {presets.map(({ id, name }) => (
          <a
            key={id}
            href={pageAddress({ ...presetRange(id, today), preset: id, keyId })}
            aria-current={selection.preset === id ? 'true' : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      <details class="custom-range">
        <summary>
          Custom range
          {preset === null && (
            <span class="soft">
              : {dayText(from)} to {dayText(to)}
            </span>
          )}
        </summary>
        <form onSubmit={show} noValidate ref={form}>
          <Field label="From" error={errorAt('from')}>
            <input
              type="date"
              value={custom.from}
              max={today}
              onInput={(event) => setCustom({ ...custom, from: event.currentTarget.value })}
            />
          </Field>
          <Field label="To" error={errorAt('to')}>
            <input
              type="date"
              value={custom.to}
              onInput={(event) => setCustom({ ...custom, to: event.currentTarget.value })}
            />
          </Field>
          <button class="button" type="submit">
            Show range
          </button>
          {/* If the field already has the focus, its error would not be announced otherwise. */}
          <div class="visually-hidden" role="alert">
            {invalid?.text}
          </div>
        </form>
      </details>
    </>
  );
}

/** Selects all keys, or one of those used on the days shown. */
export function KeyPicker({
  selection,
  keys,
  isKnown,
}: {
  selection: Selection;
  keys: Statistics['keys'];
  /** Whether `keys` belong to the days shown; false while loading and after a failure. */
  isKnown: boolean;
}) {
  const { route } = useLocation();
  // Deleted keys and sites have no record, so they cannot be selected.
  const named = keys.filter((key) => key.name !== '');
  const { keyId } = selection;
  const isMissing = keyId !== null && !named.some((key) => key.id === keyId);
  return (
    <div class="key-picker">
      <Field label="Key">
        <select
          value={keyId ?? ''}
          onChange={(event) =>
            route(pageAddress({ ...selection, keyId: event.currentTarget.value || null }))
          }
        >
          <option value="">All keys</option>
          {named.map((key) => (
            <option key={key.id} value={key.id}>
              {key.prefix === '' ? `${key.name} (site)` : `${key.name} (${key.prefix}…)`}
            </option>
          ))}
          {isMissing && (
            <option value={keyId}>
              {isKnown ? 'A key with no images in this range' : 'Selected key'}
            </option>
          )}
        </select>
      </Field>
    </div>
  );
}
