/**
 * The menu entry that a key moves to: arrow keys wrap around, Home and End go to the ends, and letters go to the next
 * entry that starts with them.
 */
export function nextEntry<Entry extends { readonly textContent: string | null }>(
  key: string,
  at: number,
  entries: readonly Entry[],
): Entry | undefined {
  const count = entries.length;
  const places: Readonly<Record<string, number>> = {
    ArrowDown: (at + 1) % count,
    ArrowUp: at <= 0 ? count - 1 : at - 1,
    Home: 0,
    End: count - 1,
  };
  const place = places[key];
  if (place !== undefined) return entries[place];
  if (key.length !== 1 || key === ' ') return undefined;
  const fromNext = [...entries.slice(at + 1), ...entries.slice(0, at + 1)];
  return fromNext.find(({ textContent }) =>
    textContent?.toLowerCase().startsWith(key.toLowerCase()),
  );
}
