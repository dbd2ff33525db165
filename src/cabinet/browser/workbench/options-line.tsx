import { useEffect, useRef } from 'preact/hooks';
import { fieldErrors, optionsLine, type TryOptions } from './options.ts';
import { OptionsForm } from './options-form.tsx';

/** The options in one line, behind which their form stands. */
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
  // what is wrong has to be seen
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
