import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { snippets } from '../../text/snippets.ts';
import { copyOutcome, copyText, selectTextOf } from './clipboard.ts';

/** Tabs with the API call in several languages, containing this key. */
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

/** A block of code with a heading and a copy button. */
export function CodeBlock({ name, code }: { name: string; code: string }) {
  const container = useRef<HTMLElement>(null);
  return (
    <div class="code-block">
      <div class="code-head">
        <span>{name}</span>
        <CopyButton
          text={code}
          subject={name}
          onRefused={() => container.current && selectTextOf(container.current)}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines need scrolling by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: it has to be a pre */}
      <pre tabIndex={0} role="region" aria-label={name}>
        <code ref={container}>{code}</code>
      </pre>
    </div>
  );
}

/** A button that copies text and confirms it. */
export function CopyButton({
  text,
  subject,
  onRefused,
}: {
  text: string;
  /** What is copied, for screen readers. */
  subject?: string;
  /** Called when the browser refuses: should select the text for copying by hand. */
  onRefused: () => void;
}) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready');
  // counted, so that each press restarts the timer
  const [presses, setPresses] = useState(0);
  useEffect(() => {
    if (state === 'ready') return;
    const timer = setTimeout(() => setState('ready'), copyOutcome.duration);
    return () => clearTimeout(timer);
  }, [state, presses]);

  async function copy() {
    const isCopied = await copyText(text);
    setPresses((count) => count + 1);
    setState(isCopied ? 'copied' : 'refused');
    if (!isCopied) onRefused();
  }

  const label = state === 'ready' ? 'Copy' : copyOutcome[state];
  return (
    <button class="button small" type="button" onClick={copy}>
      <span aria-live="polite">{label}</span>
      {subject && <span class="visually-hidden"> {subject}</span>}
    </button>
  );
}
