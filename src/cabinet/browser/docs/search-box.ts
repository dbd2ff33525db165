import {
  type SearchEntry,
  type SearchHit,
  searchDocs,
  type TextPart,
} from '../../text/docs-search.ts';

/**
 * Shows and connects the search box of the documentation: a combobox with a list of links. Ctrl+K or ⌘K focuses it, the
 * arrow keys move through the results, Enter opens one, and Escape closes the list.
 * https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
export function connectSearchBox(): void {
  const box = document.querySelector<HTMLElement>('.docs-search');
  const input = box?.querySelector('input');
  const list = box?.querySelector<HTMLElement>('[role="listbox"]');
  const status = box?.querySelector<HTMLElement>('[role="status"]');
  const nothing = box?.querySelector<HTMLElement>('.docs-search-nothing');
  if (box && input && list && status && nothing) connect({ box, input, list, status, nothing });
}

interface SearchBox {
  readonly box: HTMLElement;
  readonly input: HTMLInputElement;
  readonly list: HTMLElement;
  readonly status: HTMLElement;
  /** Where to go on if there is no result. */
  readonly nothing: HTMLElement;
}

function connect({ box, input, list, status, nothing }: SearchBox): void {
  let index: Promise<readonly SearchEntry[]> | null = null;
  let active = -1;
  // Touch screens have no keys to press.
  if (matchMedia('(hover: hover) and (pointer: fine)').matches) {
    input.placeholder += navigator.platform.startsWith('Mac') ? '  ⌘K' : '  Ctrl+K';
  }
  box.classList.add('connected');

  const options = () => Array.from(list.querySelectorAll<HTMLAnchorElement>('a'));
  const close = () => {
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    mark(-1);
  };
  const mark = (at: number) => {
    active = at;
    for (const [i, option] of options().entries()) {
      option.setAttribute('aria-selected', String(i === at));
    }
    const option = options()[at];
    if (option) {
      input.setAttribute('aria-activedescendant', option.id);
      option.scrollIntoView({ block: 'nearest' });
    } else input.removeAttribute('aria-activedescendant');
  };
  const show = (hits: readonly SearchHit[]) => {
    list.replaceChildren(...hits.map(optionOf));
    list.hidden = hits.length === 0;
    input.setAttribute('aria-expanded', String(hits.length > 0));
    mark(-1);
  };
  const say = (text: string, isNothing = false) => {
    status.textContent = text;
    nothing.hidden = !isNothing;
  };
  const find = async () => {
    const query = input.value;
    if (query.trim() === '') {
      say('');
      return show([]);
    }
    index ??= loadIndex(box.dataset.index ?? '');
    const entries = await index.catch(() => null);
    if (input.value !== query) return;
    if (entries === null) index = null;
    const hits = entries ? searchDocs(entries, query) : [];
    show(hits);
    if (entries === null) say('Search is not available right now.');
    else say(foundText(hits, query.trim()), hits.length === 0);
  };

  input.addEventListener('input', () => void find());
  input.addEventListener('focus', () => void find());
  input.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    const last = options().length - 1;
    if (event.key === 'Escape') {
      if (list.hidden) {
        input.value = '';
        show([]);
      } else close();
      say('');
    } else if (event.key === 'Enter') options()[Math.max(active, 0)]?.click();
    else if (event.key === 'ArrowDown' && !list.hidden) mark(active < last ? active + 1 : 0);
    else if (event.key === 'ArrowUp' && !list.hidden) mark(active > 0 ? active - 1 : last);
    else return;
    event.preventDefault();
  });
  // A result may lead to this page, and then nothing else would close the list.
  list.addEventListener('click', close);
  box.addEventListener('focusout', ({ relatedTarget }) => {
    if (!box.contains(relatedTarget as Node | null)) close();
  });
  document.addEventListener('keydown', (event) => {
    if (!isShortcut(event)) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}

// Not a character alone, which speech input could type: https://www.w3.org/TR/WCAG22/#character-key-shortcuts
function isShortcut({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k';
}

async function loadIndex(path: string): Promise<readonly SearchEntry[]> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return (await response.json()) as readonly SearchEntry[];
}

function optionOf({ entry, heading, excerpt }: SearchHit, at: number): HTMLElement {
  const option = document.createElement('a');
  option.id = `docs-result-${at}`;
  option.href = entry.path;
  option.tabIndex = -1;
  option.setAttribute('role', 'option');
  option.append(line('docs-result-heading', heading));
  if (entry.page !== entry.heading) {
    option.append(line('docs-result-page', [{ text: entry.page, isMatch: false }]));
  }
  option.append(line('docs-result-text', excerpt));
  return option;
}

/** Text with its matches marked. */
function line(name: string, parts: readonly TextPart[]): HTMLElement {
  const element = document.createElement('span');
  element.className = name;
  for (const { text, isMatch } of parts) {
    const part = isMatch ? document.createElement('mark') : null;
    part?.append(text);
    element.append(part ?? text);
  }
  return element;
}

function foundText(hits: readonly SearchHit[], query: string): string {
  if (hits.length === 0) {
    return `Nothing found for “${query}”. Try fewer words, an option or an error code.`;
  }
  return hits.length === 1 ? '1 result' : `${hits.length} results`;
}
