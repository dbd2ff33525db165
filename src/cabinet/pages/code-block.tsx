import type { Child } from 'hono/jsx';

/** Code to be copied; browser/parts/clipboard.ts makes the button work. */
export function CodeBlock({
  code,
  label,
  children = code,
}: {
  code: string;
  label: string;
  /** The code with its syntax marked. */
  children?: Child;
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled to, by keyboard too */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would take the place of pre */}
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{children}</code>
      </pre>
    </div>
  );
}
