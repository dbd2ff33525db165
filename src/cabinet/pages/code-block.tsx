/** Code to be copied; browser/rendered/copy-buttons.ts makes the button work. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
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
        <code>{code}</code>
      </pre>
    </div>
  );
}
