import { useEffect, useState } from 'preact/hooks';
import { copyText } from '../copy-text.ts';

/** Copies a text, and says so. */
export function CopyButton({
  text,
  label = 'Copy',
  subject,
}: {
  text: string;
  label?: string;
  /** What is copied, for those who do not see where the button stands. */
  subject?: string;
}) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready');
  useEffect(() => {
    if (state === 'ready') return;
    const timer = setTimeout(() => setState('ready'), 2500);
    return () => clearTimeout(timer);
  }, [state]);
  const shown = { ready: label, copied: 'Copied', refused: 'Select and copy' }[state];
  return (
    <button
      class="button small"
      type="button"
      onClick={async () => setState((await copyText(text)) ? 'copied' : 'refused')}
    >
      <span aria-live="polite">{shown}</span>
      {subject && <span class="visually-hidden"> {subject}</span>}
    </button>
  );
}
