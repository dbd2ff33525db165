import { copyText } from '../copy-text.ts';

/** Shows the copy button of every rendered code block, and makes it work. */
export function connectCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const code = button.closest('.code-block')?.querySelector('code');
    button.hidden = false;
    button.addEventListener('click', async () => {
      const isCopied = await copyText(code?.textContent ?? '');
      button.textContent = isCopied ? 'Copied' : 'Select and copy';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
  }
}
