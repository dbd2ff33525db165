import { useId, useState } from 'preact/hooks';
import { snippets } from '../../text/snippets.ts';
import { CodeBlock } from './code-block.tsx';

/** The call in several languages, with this key in it. */
export function SnippetTabs({ apiKey }: { apiKey: string }) {
  const [shown, show] = useState(0);
  const id = useId();
  const all = snippets(location.origin, apiKey);
  const snippet = all[shown];

  function move(event: KeyboardEvent) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = (shown + step + all.length) % all.length;
    show(next);
    document.getElementById(`${id}-tab-${next}`)?.focus();
  }

  return (
    <div class="stack">
      <div class="tabs" role="tablist" aria-label="Language">
        {all.map(({ name }, i) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${i}`}
            aria-selected={i === shown}
            aria-controls={`${id}-panel`}
            tabIndex={i === shown ? 0 : -1}
            onClick={() => show(i)}
            onKeyDown={move}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${shown}`}>
        {snippet && <CodeBlock name={snippet.name} code={snippet.code} />}
      </div>
    </div>
  );
}
