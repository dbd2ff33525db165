const storageKey = 'code-language';

/** The language that this visitor last chose for code, such as `PHP`; null: none, or nothing can be stored here. */
export function rememberedLanguage(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

/** For other pages and visits; browsers that store nothing forget it with the page. */
export function rememberLanguage(name: string): void {
  try {
    localStorage.setItem(storageKey, name);
  } catch {
    // the choice holds where it was made
  }
}
