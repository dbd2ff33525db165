import type { RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { highlight, Language } from '../../text/highlight.ts';
import { type Snippet, snippets } from '../../text/snippets.ts';
import { copyOutcome, copyText, selectTextOf } from './clipboard.ts';
import { rememberedLanguage, rememberLanguage } from './code-language.ts';

/**
 * The API call in several languages, as tabs. The language chosen last, here or in the documentation, is selected.
 * @param apiKey null: read from the environment variable KEY
 * @param query options of the call, such as `format=webp&width=800`
 * @param mask shown in place of the key, which is copied nevertheless; null: the key is shown
 */
export function SnippetTabs({
  apiKey,
  query = '',
  mask = null,
}: {
  apiKey: string | null;
  query?: string;
  mask?: string | null;
}) {
  const [language, setLanguage] = useState(rememberedLanguage);
  function choose(name: string) {
    setLanguage(name);
    rememberLanguage(name);
  }
  return (
    <CodeTabs
      all={snippets(location.origin, apiKey, query)}
      label="Language"
      chosen={language}
      secret={apiKey}
      mask={mask}
      onChoose={choose}
    />
  );
}

/** Code in several languages or for several tools, as tabs. */
export function CodeTabs({
  all,
  label,
  chosen,
  secret = null,
  mask = null,
  onChoose,
}: {
  all: readonly (Pick<Snippet, 'name' | 'code'> & { readonly language: Language })[];
  /** What the tabs are, for screen readers. */
  label: string;
  /** The name of the selected tab; null or unknown: the first. */
  chosen: string | null;
  /** A part of the code for which `mask` is shown. */
  secret?: string | null;
  /** Null: all of the code is shown. */
  mask?: string | null;
  onChoose: (name: string) => void;
}) {
  const shown = Math.max(
    all.findIndex(({ name }) => name === chosen),
    0,
  );
  const id = useId();
  const panelId = `${id}-panel`;
  const tabId = (name: string) => `${id}-${name}`;
  const container = useRef<HTMLElement>(null);
  /** How often copying was refused; after each refusal the code, including the secret, is selected instead. */
  const [refusals, setRefusals] = useState(0);
  useLayoutEffect(() => {
    if (refusals > 0 && container.current) selectTextOf(container.current);
  }, [refusals]);
  const names = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const tab = names.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (tab && names.current) scrollToMiddle(tab, names.current);
  }, [shown]);
  const snippet = all[shown];
  if (!snippet) return null;
  const isMasked = secret !== null && mask !== null && refusals === 0;
  const code = isMasked ? snippet.code.replaceAll(secret, mask) : snippet.code;

  function choose(at: number) {
    const name = all.at(at % all.length)?.name;
    if (name === undefined) return;
    onChoose(name);
    document.getElementById(tabId(name))?.focus({ preventScroll: true });
  }

  function move(event: KeyboardEvent) {
    const target = { ArrowRight: shown + 1, ArrowLeft: shown - 1, Home: 0, End: -1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    choose(target);
  }

  return (
    <div class="code-tabs">
      <div class={`code-block ${snippet.language === 'sh' ? 'shell' : ''}`}>
        <div class="code-head">
          <div class="code-names" role="tablist" aria-label={label} ref={names}>
            {all.map(({ name }, i) => (
              <button
                key={name}
                type="button"
                role="tab"
                id={tabId(name)}
                aria-selected={i === shown}
                aria-controls={panelId}
                tabIndex={i === shown ? 0 : -1}
                onClick={() => choose(i)}
                onKeyDown={move}
              >
                {name}
              </button>
            ))}
          </div>
          <CopyButton
            key={snippet.name}
            text={snippet.code}
            subject={snippet.name}
            onRefused={() => setRefusals(refusals + 1)}
          />
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines need scrolling by keyboard */}
        <pre tabIndex={0} role="tabpanel" id={panelId} aria-labelledby={tabId(snippet.name)}>
          <Code code={code} language={snippet.language} codeRef={container} />
        </pre>
      </div>
    </div>
  );
}

/** Scrolls a tab to the middle of its row, so that both neighbors are visible; does not scroll the page. */
function scrollToMiddle(tab: HTMLElement, row: HTMLElement): void {
  row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
}

/** Code, highlighted as soon as the highlighter has loaded. */
function Code({
  code,
  language,
  codeRef,
}: {
  code: string;
  language: Language;
  codeRef: RefObject<HTMLElement | null>;
}) {
  const highlightCode = useHighlighter(language !== 'text');
  const tokens = highlightCode?.(code, language) ?? [{ text: code, kind: null }];
  return (
    <code ref={codeRef}>
      {tokens.map(({ text, kind }, i) =>
        kind === null ? (
          text
        ) : (
          <span key={i} class={`code-${kind}`}>
            {text}
          </span>
        ),
      )}
    </code>
  );
}

/**
 * The highlighter; null until it has loaded. It is loaded separately because it is larger than the rest of the page.
 */
function useHighlighter(isNeeded: boolean): typeof highlight | null {
  const [loaded, setLoaded] = useState<{ readonly highlight: typeof highlight } | null>(null);
  useEffect(() => {
    // If loading fails, the code is readable nevertheless.
    if (isNeeded) import('../../text/highlight.ts').then(setLoaded, () => {});
  }, [isNeeded]);
  return loaded?.highlight ?? null;
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
  /** Called when the browser refuses; should select the text for copying by hand. */
  onRefused: () => void;
}) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready');
  // Counted, so that each press restarts the timer.
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
