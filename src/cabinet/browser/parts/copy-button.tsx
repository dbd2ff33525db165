import { useEffect, useState } from 'preact/hooks';
import { copyText } from '../copy-text.ts';

/** Copies a text, and says so. */
export function CopyButton({
  text,
  subject,
  onRefused,
}: {
  text: string;
  /** What is copied, for those who do not see where the button stands. */
  subject?: string;
  /** The browser does not let us: selects the text where it stands. */
  onRefused: () => void;
}) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready');
  // counted: each press shows its word for the whole time
  const [presses, setPresses] = useState(0);
  useEffect(() => {
    if (state === 'ready') return;
    const timer = setTimeout(() => setState('ready'), 2500);
    return () => clearTimeout(timer);
  }, [state, presses]);

  async function copy() {
    const isCopied = await copyText(text);
    setPresses((count) => count + 1);
    setState(isCopied ? 'copied' : 'refused');
    if (!isCopied) onRefused();
  }

  const shown = { ready: 'Copy', copied: 'Copied', refused: 'Selected: now copy it' }[state];
  return (
    <button class="button small" type="button" onClick={copy}>
      <span aria-live="polite">{shown}</span>
      {subject && <span class="visually-hidden"> {subject}</span>}
    </button>
  );
}
