import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { selectTextOf } from './clipboard.ts';
import { CopyButton } from './code-block.tsx';

/** A key or secret, masked until it is revealed. */
export function Secret({
  subject,
  value,
  publicLength = 0,
  isShown,
  isSelected = false,
  onShow,
}: {
  /** What it is, for screen readers. */
  subject: string;
  value: string;
  /** How many characters are shown in any case. */
  publicLength?: number;
  isShown: boolean;
  /** Whether it is selected from the start, to be copied by hand. */
  isSelected?: boolean;
  onShow: (isShown: boolean) => void;
}) {
  /** How often copying was refused; after each refusal it is selected instead. */
  const [refusals, setRefusals] = useState(isSelected ? 1 : 0);
  const code = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (refusals > 0 && code.current) selectTextOf(code.current);
  }, [refusals]);
  return (
    <div class="secret">
      <code ref={code}>
        {isShown ? (
          value
        ) : (
          <>
            {value.slice(0, publicLength)}
            {/* As many as there are characters, so that nothing moves. */}
            <span aria-hidden="true">{'•'.repeat(value.length - publicLength)}</span>
          </>
        )}
      </code>
      <span class="cluster">
        <button class="button small" type="button" onClick={() => onShow(!isShown)}>
          {isShown ? 'Hide' : 'Reveal'}
          <span class="visually-hidden"> {subject}</span>
        </button>
        <CopyButton
          text={value}
          subject={subject}
          onRefused={() => {
            onShow(true);
            setRefusals(refusals + 1);
          }}
        />
      </span>
    </div>
  );
}

/** How many hours a key or secret may continue to work after its replacement is created. */
const overlaps = [
  { hours: 0, label: 'Not at all' },
  { hours: 1, label: '1 hour' },
  { hours: 24, label: '24 hours' },
  { hours: 168, label: '7 days' },
] as const;

export type OverlapHours = (typeof overlaps)[number]['hours'];

/** Chooses how long the old one works beside the new one. */
export function OverlapField({
  legend,
  none,
  some,
  hours,
  onChange,
}: {
  legend: string;
  /** What no overlap means. */
  none: ComponentChildren;
  /** What an overlap means that ends at this time. */
  some: (end: string) => ComponentChildren;
  hours: OverlapHours;
  onChange: (hours: OverlapHours) => void;
}) {
  const name = useId();
  return (
    <fieldset aria-describedby={`${name}-hint`}>
      <legend>{legend}</legend>
      <div class="overlaps">
        {overlaps.map((overlap) => (
          <label key={overlap.hours}>
            <input
              type="radio"
              name={name}
              checked={overlap.hours === hours}
              onChange={() => onChange(overlap.hours)}
            />
            {overlap.label}
          </label>
        ))}
      </div>
      <p class="soft overlap-hint" id={`${name}-hint`}>
        {hours === 0 ? none : some(new Date(Date.now() + hours * 3_600_000).toISOString())}
      </p>
    </fieldset>
  );
}
