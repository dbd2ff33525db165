import { Field } from '../parts/field.tsx';
import { type Complaints, formLabels, type TryOptions } from './options.ts';

/** What is to be done with the pictures. */
export function OptionsForm({
  options,
  complaints,
  onChange,
}: {
  options: TryOptions;
  complaints: Complaints;
  onChange: (options: TryOptions) => void;
}) {
  const set = (name: keyof TryOptions) => (event: { currentTarget: { value: string } }) =>
    onChange({ ...options, [name]: event.currentTarget.value });
  const isBox = options.width.trim() !== '' && options.height.trim() !== '';
  return (
    <fieldset class="card try-options">
      <legend class="visually-hidden">Options</legend>
      <Field label="Format">
        <select value={options.format} onChange={set('format')}>
          <option value="keep">{formLabels.keepFormat}</option>
          <option value="auto">Smallest (automatic)</option>
          <option value="jpeg">JPEG</option>
          <option value="png">PNG</option>
          <option value="webp">WebP</option>
          <option value="avif">AVIF</option>
        </select>
      </Field>
      <Field label="Quality">
        <select value={options.quality} onChange={set('quality')}>
          <option value="auto">{formLabels.automatic}</option>
          <option value="lossless">Lossless</option>
          <option value="own">Own figure</option>
        </select>
      </Field>
      {options.quality === 'own' && (
        <Field label="Figure, 1 to 100" error={complaints.ownQuality}>
          <input inputMode="numeric" value={options.ownQuality} onInput={set('ownQuality')} />
        </Field>
      )}
      <Field label={formLabels.width} error={complaints.width}>
        <input inputMode="numeric" placeholder="any" value={options.width} onInput={set('width')} />
      </Field>
      <Field label={formLabels.height} error={complaints.height}>
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
            <option value="inside">Whole picture</option>
            <option value="cover">Cut to fill</option>
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
      {options.format === 'jpeg' && (
        <Field label="Background if transparent">
          <input type="color" value={options.background} onInput={set('background')} />
        </Field>
      )}
    </fieldset>
  );
}
