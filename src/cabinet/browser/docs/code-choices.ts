import { rememberedLanguage, rememberLanguage } from '../parts/code-language.ts';

/**
 * Code in several languages, of which the radio buttons of each `.code-choice` show one: makes a choice hold for the whole
 * page, for other pages, and for later visits.
 */
export function connectCodeChoices(): void {
  const choices = [...document.querySelectorAll<HTMLElement>('.code-choice')];
  const remembered = rememberedLanguage();
  if (remembered !== null) chooseIn(choices, remembered);
  for (const choice of choices) {
    choice.addEventListener('change', ({ target }) => {
      if (!(target instanceof HTMLInputElement)) return;
      rememberLanguage(target.value);
      // code further up becomes longer or shorter: what has just been chosen stays where it is
      const { top } = choice.getBoundingClientRect();
      chooseIn(choices, target.value);
      scrollBy({ top: choice.getBoundingClientRect().top - top, behavior: 'instant' });
    });
  }
}

/** Where a language is missing, what was chosen before remains. */
function chooseIn(choices: readonly HTMLElement[], language: string): void {
  for (const choice of choices) {
    for (const input of choice.querySelectorAll<HTMLInputElement>(':scope > input')) {
      if (input.value === language) input.checked = true;
    }
  }
}
