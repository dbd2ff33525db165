/** Copies text to the clipboard. Returns false if the browser refuses, for example without HTTPS. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Selects all text of an element, so that the user can copy it by hand. */
export function selectTextOf(element: Element): void {
  getSelection()?.selectAllChildren(element);
}

/** Shows and activates the copy button of each server-rendered code block. */
export function connectCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>('.code-block')) {
    const button = block.querySelector<HTMLButtonElement>('button[data-copy]');
    const label = button?.querySelector('[aria-live]');
    const code = block.querySelector('code');
    if (button && label && code) connect(button, label, code);
  }
}

/** The labels of a copy button after a press, and how many milliseconds they are shown. */
export const copyOutcome = {
  copied: 'Copied',
  refused: 'Selected: copy manually',
  duration: 2500,
} as const;

function connect(button: HTMLButtonElement, label: Element, code: Element): void {
  const initial = label.textContent;
  let timer: number | undefined;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const isCopied = await copyText(code.textContent);
    if (!isCopied) selectTextOf(code);
    label.textContent = isCopied ? copyOutcome.copied : copyOutcome.refused;
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      label.textContent = initial;
    }, copyOutcome.duration);
  });
}
