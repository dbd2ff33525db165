import { rememberedLanguage, rememberLanguage } from './code-language.ts';

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
