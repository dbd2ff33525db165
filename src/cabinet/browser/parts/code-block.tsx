import type { RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { highlight, Language } from '../../text/highlight.ts';
import { snippets } from '../../text/snippets.ts';
import { copyOutcome, copyText, selectTextOf } from './clipboard.ts';
import { rememberedLanguage, rememberLanguage } from './code-language.ts';

/**
 * The API call in several languages, one of them shown: the one that was chosen last, here or in the documentation.
 * @param apiKey null: read from the environment variable KEY
 * @param query options of the call, such as `format=webp&width=800`
 * @param mask what is shown in the place of the key, which is copied all the same; null: the key
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
  const all = snippets(location.origin, apiKey, query);
  const [language, setLanguage] = useState(rememberedLanguage);
  const shown = Math.max(
    all.findIndex(({ name }) => name === language),
    0,
  );
  const id = useId();
  const panelId = `${id}-panel`;
  const tabId = (name: string) => `${id}-${name}`;
  const container = useRef<HTMLElement>(null);
  /** How often copying was refused, so that the code is selected instead, with the key in it. */
  const [refusals, setRefusals] = useState(0);
  useLayoutEffect(() => {
    if (refusals > 0 && container.current) selectTextOf(container.current);
  }, [refusals]);
  const names = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const tab = names.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (tab && names.current) showInMiddle(tab, names.current);
  }, [shown]);
  const snippet = all[shown];
  if (!snippet) return null;
  const isMasked = apiKey !== null && mask !== null && refusals === 0;
  const code = isMasked ? snippet.code.replaceAll(apiKey, mask) : snippet.code;

  function choose(at: number) {
    const name = all.at(at % all.length)?.name;
    if (name === undefined) return;
    setLanguage(name);
    rememberLanguage(name);
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
      <div class="code-block">
        <div class="code-head">
          <div class="code-names" role="tablist" aria-label="Language" ref={names}>
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
          <Code code={code} language={snippet.language} place={container} />
        </pre>
      </div>
    </div>
  );
}

/** Scrolls a row, but never the page, so that both neighbours of a tab can be seen. */
function showInMiddle(tab: HTMLElement, row: HTMLElement): void {
  row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
}

/** A block of code with a heading and a copy button. */
export function CodeBlock({
  name,
  code,
  language = 'text',
}: {
  name: string;
  code: string;
  language?: Language;
}) {
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
        <Code code={code} language={language} place={container} />
      </pre>
    </div>
  );
}

/** Code, in colours as soon as what knows its syntax has been loaded. */
function Code({
  code,
  language,
  place,
}: {
  code: string;
  language: Language;
  place: RefObject<HTMLElement | null>;
}) {
  const mark = useHighlighter(language !== 'text');
  const tokens = mark?.(code, language) ?? [{ text: code, kind: null }];
  return (
    <code ref={place}>
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

/** null until it has been loaded: it is larger than all the rest of a page. */
function useHighlighter(isNeeded: boolean): typeof highlight | null {
  const [loaded, setLoaded] = useState<{ readonly highlight: typeof highlight } | null>(null);
  useEffect(() => {
    // without it code can be read all the same
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
