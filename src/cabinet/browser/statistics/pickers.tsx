import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Statistics } from '../api/wire.ts';
import { Field } from '../parts/field.tsx';
import {
  pageAddress,
  presetRange,
  presets,
  type RangeComplaint,
  rangeComplaint,
  type Selection,
} from './range.ts';

/** Which days: the usual ranges as links, and two dates. */
export function RangePicker({ selection, today }: { selection: Selection; today: string }) {
  const { route } = useLocation();
  const { from, to, keyId } = selection;
  const [own, setOwn] = useState({ from, to });
  // a new one each time that days are asked for in vain
  const [complaint, setComplaint] = useState<RangeComplaint | null>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    setOwn({ from, to });
    setComplaint(null);
  }, [from, to]);
  useLayoutEffect(() => {
    if (complaint) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [complaint]);

  function show(event: Event) {
    event.preventDefault();
    const wrong = rangeComplaint(own);
    setComplaint(wrong);
    if (wrong === null) route(pageAddress({ ...own, preset: null, keyId }));
  }

  const complaintAt = (field: RangeComplaint['field']) =>
    complaint?.field === field ? complaint.text : undefined;
  return (
    <div class="range-picker">
      <nav class="field" aria-labelledby="days">
        <span class="label" id="days">
          Days
        </span>
        <div class="choice">
          {presets.map(({ id, name }) => (
            <a
              key={id}
              href={pageAddress({ ...presetRange(id, today), preset: id, keyId })}
              aria-current={selection.preset === id ? 'true' : undefined}
            >
              {name}
            </a>
          ))}
        </div>
      </nav>
      <form class="own-range" onSubmit={show} noValidate ref={form}>
        <Field label="From" complaint={complaintAt('from')}>
          <input
            type="date"
            value={own.from}
            max={today}
            onInput={(event) => setOwn({ ...own, from: event.currentTarget.value })}
          />
        </Field>
        <Field label="To" complaint={complaintAt('to')}>
          <input
            type="date"
            value={own.to}
            onInput={(event) => setOwn({ ...own, to: event.currentTarget.value })}
          />
        </Field>
        <button class="button" type="submit">
          Show these days
        </button>
        {/* the field may have the focus already, and would then say nothing */}
        <div class="visually-hidden" role="alert">
          {complaint?.text}
        </div>
      </form>
    </div>
  );
}

/** Which key: all of them, or one of those that did something on the days shown. */
export function KeyPicker({
  selection,
  keys,
  isKnown,
}: {
  selection: Selection;
  keys: Statistics['keys'];
  /** Whether these are the keys of the days shown; not while they are being loaded, or cannot be. */
  isKnown: boolean;
}) {
  const { route } = useLocation();
  // uploads at the cabinet have no key, and cannot be asked for alone
  const named = keys.filter((key) => key.id !== null);
  const { keyId } = selection;
  const isAbsent = keyId !== null && !named.some((key) => key.id === keyId);
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
            <option key={key.id} value={key.id ?? ''}>
              {`${key.name} (${key.prefix}…)`}
            </option>
          ))}
          {isAbsent && (
            <option value={keyId}>
              {isKnown ? 'A key without files on these days' : 'The key that you chose'}
            </option>
          )}
        </select>
      </Field>
    </div>
  );
}
