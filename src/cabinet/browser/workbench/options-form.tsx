import { useEffect, useId, useRef } from 'preact/hooks';
import { outputFacts } from '../../../image/formats/facts.ts';
import { namedTargets, targetRange } from '../../../image/metric/targets.ts';
import { Field } from '../parts/field.tsx';
import { formLabels } from './form-words.ts';
import {
  type FieldErrors,
  fieldErrors,
  hasPosition,
  mayHoldGainMap,
  needsBackground,
  optionsLine,
  positions,
  positionsOf,
  type TryOptions,
  targetText,
} from './options.ts';

function OptionsForm({
  options,
  errors,
  onChange,
}: {
  options: TryOptions;
  errors: FieldErrors;
  onChange: (options: TryOptions) => void;
}) {
  const set = (name: keyof TryOptions) => (event: { currentTarget: { value: string } }) =>
    onChange({ ...options, [name]: event.currentTarget.value });
  const isBox = options.width.trim() !== '' && options.height.trim() !== '';
  return (
    <fieldset class="card try-options">
      <legend class="visually-hidden">Options</legend>
      <Field
        label="Format"
        hint={options.format === 'png' ? 'Photos usually get larger as PNG.' : undefined}
      >
        <select value={options.format} onChange={set('format')}>
          <option value="keep">{formLabels.keepFormat}</option>
          <option value="auto">Smallest (automatic)</option>
          {outputFacts.map(({ type, name }) => (
            <option key={type} value={type}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <Field
        label="Quality"
        hint={
          options.quality === 'lossless' ? 'Photos usually get larger without loss.' : undefined
        }
      >
        <select value={options.quality} onChange={set('quality')}>
          <option value="auto">{formLabels.automatic}</option>
          <option value="target">Target score</option>
          <option value="size">Fit into a size</option>
          <option value="lossless">Lossless</option>
          <option value="custom">Encoder setting</option>
        </select>
      </Field>
      {options.quality === 'target' && (
        <TargetField
          target={options.target}
          onChange={(target) => onChange({ ...options, target })}
        />
      )}
      {options.quality === 'size' && (
        <Field label={formLabels.maxKilobytes} error={errors.maxKilobytes}>
          <input inputMode="numeric" value={options.maxKilobytes} onInput={set('maxKilobytes')} />
        </Field>
      )}
      {options.quality === 'custom' && (
        <Field
          label="Encoder setting, 1 to 100"
          hint="The same value looks different in each format."
          error={errors.customQuality}
        >
          <input inputMode="numeric" value={options.customQuality} onInput={set('customQuality')} />
        </Field>
      )}
      <Field label={formLabels.width} error={errors.width}>
        <input inputMode="numeric" placeholder="any" value={options.width} onInput={set('width')} />
      </Field>
      <Field label={formLabels.height} error={errors.height}>
        <input
          inputMode="numeric"
          placeholder="any"
          value={options.height}
          onInput={set('height')}
        />
      </Field>
      {isBox && (
        <Field label="Fit">
          <select value={options.fit} onChange={set('fit')}>
            <option value="inside">Fit inside</option>
            <option value="cover">Crop to fill</option>
            <option value="contain">Add margins</option>
            <option value="outside">Cover, without cropping</option>
            <option value="fill">Stretch</option>
          </select>
        </Field>
      )}
      {isBox && hasPosition(options) && (
        <Field label="Position">
          <select
            value={positionsOf(options).includes(options.position) ? options.position : 'center'}
            onChange={set('position')}
          >
            {positionsOf(options).map((position) => (
              <option key={position} value={position}>
                {positions[position]}
              </option>
            ))}
          </select>
        </Field>
      )}
      <Field label="Metadata">
        <select value={options.metadata} onChange={set('metadata')}>
          <option value="none">Remove</option>
          <option value="copyright">Keep copyright</option>
          <option value="all">Keep everything</option>
        </select>
      </Field>
      <Field label={formLabels.animation}>
        <select value={options.animation} onChange={set('animation')}>
          <option value="keep">Keep moving</option>
          <option value="first">{formLabels.firstFrame}</option>
        </select>
      </Field>
      {mayHoldGainMap(options) && (
        <Field label="HDR (gain map)">
          <select value={options.hdr} onChange={set('hdr')}>
            <option value="keep">Keep</option>
            <option value="drop">Remove</option>
          </select>
        </Field>
      )}
      {needsBackground(options) && (
        <Field label="Background colour">
          <input type="color" value={options.background} onInput={set('background')} />
        </Field>
      )}
    </fieldset>
  );
}

/** A slider for the target score, with buttons for the named scores. */
function TargetField({ target, onChange }: { target: string; onChange: (target: string) => void }) {
  const id = useId();
  return (
    <div class="field target-field">
      <label for={id}>
        Score: <output for={id}>{targetText(target)}</output>
      </label>
      <input
        id={id}
        type="range"
        {...targetRange}
        value={target}
        aria-valuetext={targetText(target)}
        aria-describedby={`${id}-hint`}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <fieldset class="target-stops">
        <legend class="visually-hidden">Scores with a name</legend>
        {Object.entries(namedTargets).map(([name, score]) => (
          <button
            key={name}
            class="chip"
            type="button"
            aria-pressed={Number(target) === score}
            onClick={() => onChange(String(score))}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <span class="hint" id={`${id}-hint`}>
        The same look in every format. At 90, nobody sees a difference; at 70, it is hard to notice.
        Automatic is medium.
      </span>
    </div>
  );
}

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
