import { useId } from 'preact/hooks';
import { namedTargets, targetRange } from '../../../image/metric/targets.ts';
import { targetText } from './options.ts';

/** A slider for the target score, with buttons for the named scores. */
export function TargetField({
  target,
  onChange,
}: {
  target: string;
  onChange: (target: string) => void;
}) {
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
