import { useEffect, useRef } from 'preact/hooks';
import { fieldErrors, optionsLine, type TryOptions } from './options.ts';
import { OptionsForm } from './options-form.tsx';

/** A one-line summary of the options, which opens their form. */
export function OptionsLine({
  options,
  onChange,
}: {
  options: TryOptions;
  onChange: (options: TryOptions) => void;
}) {
  const details = useRef<HTMLDetailsElement>(null);
  const errors = fieldErrors(options);
  const isWrong = Object.keys(errors).length > 0;
  // Errors have to be visible.
  useEffect(() => {
    if (isWrong && details.current) details.current.open = true;
  }, [isWrong]);
  return (
    <details class="options-line" ref={details}>
      <summary>
        <span class="options-now">
          {isWrong ? 'Something has to be corrected:' : optionsLine(options)}
        </span>
        <span class="options-change">Options</span>
      </summary>
      <OptionsForm options={options} errors={errors} onChange={onChange} />
    </details>
  );
}
