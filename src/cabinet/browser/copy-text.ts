/** Puts text on the clipboard; false where the browser does not let us, as without https. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Marks all text of an element, to be copied by hand. */
export function selectTextOf(element: Element): void {
  getSelection()?.selectAllChildren(element);
}
