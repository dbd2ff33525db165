import { raw } from 'hono/html';
import { highlight, type Language } from '../text/highlight.ts';

/** A code block with a copy button, which browser/parts/clipboard.ts activates. */
export function CodeBlock({
  code,
  label,
  language = 'text',
}: {
  code: string;
  label: string;
  language?: Language;
}) {
  return (
    <div class="code-block">
      <div class="code-head">
        <span>{label}</span>
        <button class="button small" type="button" data-copy hidden>
          <span aria-live="polite">Copy</span>
          <span class="visually-hidden"> {label}</span>
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines need scrolling by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: it has to be a pre */}
      <pre tabIndex={0} role="region" aria-label={label}>
        {highlighted(code, language)}
      </pre>
    </div>
  );
}

/** Code that was highlighted lately, as HTML: pages show the same to everybody, and highlighting takes most of their time. */
const known = new Map<string, string>();
const maxKnown = 100;

function highlighted(code: string, language: Language) {
  const key = `${language}:${code}`;
  const before = known.get(key);
  if (before !== undefined) return raw(before);
  const html = String(
    <code>
      {highlight(code, language).map(({ text, kind }) =>
        kind === null ? text : <span class={`code-${kind}`}>{text}</span>,
      )}
    </code>,
  );
  // Code contains the address under which it is asked for, which is anybody's choice.
  if (known.size >= maxKnown) known.clear();
  known.set(key, html);
  return raw(html);
}

/** Code in one of the languages of a choice. */
interface Choice {
  readonly name: string;
  readonly language: Language;
  readonly code: string;
}

/**
 * Code in several languages, one of them visible, as scripts/docs/markdown.ts writes it. Radio buttons select it without
 * a script; browser/parts/code-choices.ts remembers the choice.
 * @param id of the choice on its page
 */
export function CodeChoice({
  id,
  label,
  choices,
}: {
  id: string;
  label: string;
  choices: readonly Choice[];
}) {
  return (
    <fieldset class="code-choice">
      <legend class="visually-hidden">{label}</legend>
      {choices.map(({ name }, i) => (
        <input key={name} type="radio" name={id} id={`${id}-${i}`} value={name} checked={i === 0} />
      ))}
      <div class="code-names">
        {choices.map(({ name }, i) => (
          <label key={name} for={`${id}-${i}`}>
            {name}
          </label>
        ))}
      </div>
      <div class="choice-panels">
        {choices.map(({ name, code, language }) => (
          <CodeBlock key={name} code={code} label={`${label}: ${name}`} language={language} />
        ))}
      </div>
    </fieldset>
  );
}
