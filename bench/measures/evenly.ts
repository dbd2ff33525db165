/** At most so many of a list, evenly from all over it, always the same ones. */
export function evenly<Item>(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items;
  return Array.from(
    { length: most },
    (_, i) => items[Math.floor((i * items.length) / most)],
  ).filter((item) => item !== undefined);
}
