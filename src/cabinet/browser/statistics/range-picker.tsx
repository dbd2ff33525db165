import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Field } from '../parts/field.tsx';
import { pageAddress, presetRange, presets, rangeComplaint, type Selection } from './range.ts';

/** Which days: the usual ranges as links, and two dates. */
export function RangePicker({ selection, today }: { selection: Selection; today: string }) {
  const { route } = useLocation();
  const { from, to, keyId } = selection;
  const [own, setOwn] = useState({ from, to });
  const [complaint, setComplaint] = useState<string | null>(null);
  useEffect(() => {
    setOwn({ from, to });
    setComplaint(null);
  }, [from, to]);

  function show(event: Event) {
    event.preventDefault();
    const wrong = rangeComplaint(own);
    setComplaint(wrong);
    if (wrong === null) route(pageAddress({ ...own, preset: null, keyId }));
  }

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
      <form class="own-range" onSubmit={show} noValidate>
        <Field label="From" complaint={complaint ?? undefined}>
          <input
            type="date"
            value={own.from}
            max={today}
            onInput={(event) => setOwn({ ...own, from: event.currentTarget.value })}
          />
        </Field>
        <Field label="To">
          <input
            type="date"
            value={own.to}
            onInput={(event) => setOwn({ ...own, to: event.currentTarget.value })}
          />
        </Field>
        <button class="button" type="submit">
          Show these days
        </button>
      </form>
    </div>
  );
}
