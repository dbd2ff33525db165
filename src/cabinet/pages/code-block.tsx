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
        <code>
          {highlight(code, language).map(({ text, kind }) =>
            kind === null ? text : <span class={`code-${kind}`}>{text}</span>,
          )}
        </code>
      </pre>
    </div>
  );
}
