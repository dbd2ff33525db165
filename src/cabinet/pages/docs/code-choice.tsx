import { CodeBlock } from '../code-block.tsx';

interface Choice {
  readonly name: string;
  readonly code: string;
}

/** The same in several languages, one of them shown: radio buttons, since those need no script. */
export function CodeChoice({
  id,
  label,
  choices,
}: {
  /** Of this choice, on its page. */
  id: string;
  /** What all of them do. */
  label: string;
  choices: readonly Choice[];
}) {
  return (
    <fieldset class="code-choice">
      <legend class="visually-hidden">{label}</legend>
      {choices.map(({ name }, index) => (
        <input
          key={name}
          type="radio"
          name={id}
          id={`${id}-${index}`}
          value={name}
          checked={index === 0}
        />
      ))}
      <div class="choice-names">
        {choices.map(({ name }, index) => (
          <label key={name} for={`${id}-${index}`}>
            {name}
          </label>
        ))}
      </div>
      <div class="choice-panels">
        {choices.map(({ name, code }) => (
          <CodeBlock key={name} code={code} label={`${label}: ${name}`} />
        ))}
      </div>
    </fieldset>
  );
}
