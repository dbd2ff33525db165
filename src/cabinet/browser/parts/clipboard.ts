/** Copies text to the clipboard. False if the browser refuses, for example without HTTPS. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Selects all text of an element, to be copied by hand. */
export function selectTextOf(element: Element): void {
  getSelection()?.selectAllChildren(element);
}

/** Shows and activates the copy button of each server-rendered code block. */
export function connectCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>('.code-block')) {
    const button = block.querySelector<HTMLButtonElement>('button[data-copy]');
    const word = button?.querySelector('[aria-live]');
    const code = block.querySelector('code');
    if (button && word && code) connect(button, word, code);
  }
}

function connect(button: HTMLButtonElement, word: Element, code: Element): void {
  const usual = word.textContent;
  let timer: number | undefined;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const isCopied = await copyText(code.textContent);
    if (!isCopied) selectTextOf(code);
    word.textContent = isCopied ? 'Copied' : 'Selected: copy manually';
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      word.textContent = usual;
    }, 2500);
  });
}
