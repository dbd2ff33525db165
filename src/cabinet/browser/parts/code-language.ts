const storageKey = 'code-language';

/** The language that this visitor last chose for code, such as `PHP`; null if none, or if storage is blocked. */
export function rememberedLanguage(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

/** Stores the chosen language for other pages and later visits, unless storage is blocked. */
export function rememberLanguage(name: string): void {
  try {
    localStorage.setItem(storageKey, name);
  } catch {
    // The choice still applies where it was made.
  }
}
