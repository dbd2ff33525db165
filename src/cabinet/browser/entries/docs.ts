import '../../design/index.css';
import '../../design/docs.css';
import '../../design/docs-table.css';
import '../../design/code-choice.css';
import '../../design/reference.css';
import { connectSearchBox } from '../docs/search-box.ts';
import { connectCopyButtons } from '../parts/clipboard.ts';
import { rememberedLanguage, rememberLanguage } from '../parts/code-language.ts';

// This comes first, because the page is not painted before.
connectCodeChoices();
connectCopyButtons();
connectSearchBox();

// The current page may be far down in the menu.
const menu = document.querySelector<HTMLElement>('.docs-side .docs-menu');
const current = menu?.querySelector<HTMLElement>('[aria-current]');
if (menu && current) menu.scrollTop = current.offsetTop - menu.offsetTop - menu.clientHeight / 2;

/**
 * Connects the tabs of code in several languages (`.code-choice`, whose radio buttons select the visible one): a choice
 * applies to the whole page, to other pages, and to later visits.
 */
export function connectCodeChoices(): void {
  const choices = [...document.querySelectorAll<HTMLElement>('.code-choice')];
  const remembered = rememberedLanguage();
  if (remembered !== null) chooseIn(choices, remembered);
  for (const choice of choices) {
    choice.addEventListener('change', ({ target }) => {
      if (!(target instanceof HTMLInputElement)) return;
      rememberLanguage(target.value);
      // Code above may change in height; scroll so that the tabs just used stay in place.
      const { top } = choice.getBoundingClientRect();
      chooseIn(choices, target.value);
      scrollBy({ top: choice.getBoundingClientRect().top - top, behavior: 'instant' });
    });
  }
}

/** Selects a language; code that lacks the language keeps its previous selection. */
function chooseIn(choices: readonly HTMLElement[], language: string): void {
  for (const choice of choices) {
    for (const input of choice.querySelectorAll<HTMLInputElement>(':scope > input')) {
      if (input.value === language) input.checked = true;
    }
  }
}
