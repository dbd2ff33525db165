/** Stop words. */
const fillers = new Set(
  'a an and are as at be by can could did do does for from get have how i if in is it its make may me mean means meaning must my need of on or please should so that the there this to use used using want we what when where which who why will with would you your'.split(
    ' ',
  ),
);

/** Suffixes that inflected forms of a word differ in, longest first. */
const endings = ['ations', 'ation', 'ings', 'ions', 'ing', 'ion', 'ied', 'ies', 'ers', 'ed']
  .concat(['es', 'er', 'ry', 's', 'e', 'y'])
  .map((ending) => new RegExp(`(?<=^\\p{L}{4,})${ending}$`, 'u'));

/** Runs of letters and digits in lower case: `larger-format` is two words. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * Lowercase text without spaces, hyphens and underscores, so that `larger-format`, `larger_format` and `Larger format`
 * are equal.
 */
export function squeezed(text: string): string {
  return wordsOf(text).join('');
}

/** Compound names such as `larger-format`, `free_resets_at` and `time-out`, each squeezed into one word. */
export function compoundsOf(text: string): readonly string[] {
  const compounds = text.toLowerCase().match(/[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)+/gu) ?? [];
  return compounds.map(squeezed);
}

/** The words of a query that are not stop words; all words if there are no others. */
export function significantWords(query: string): readonly string[] {
  const words = [...new Set(wordsOf(query))];
  const significant = words.filter((word) => !fillers.has(word));
  return significant.length > 0 ? significant : words;
}

/** The common stem of the forms of a word, such as `rotate`, `rotating` and `rotation`. */
export function stemOf(word: string): string {
  if (word.endsWith('ss')) return word;
  const ending = endings.find((one) => one.test(word));
  return ending ? word.replace(ending, '') : word;
}

/**
 * Whether one word is the other with one or two typing errors: a wrong, missing or extra letter, or two swapped
 * letters. Computed as the optimal string alignment distance,
 * https://en.wikipedia.org/wiki/Damerau–Levenshtein_distance
 */
export function isMistyped(word: string, meant: string): boolean {
  const most = word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
  if (most === 0 || Math.abs(word.length - meant.length) > most) return false;
  let beforeLast: number[] = [];
  let last = Array.from({ length: meant.length + 1 }, (_, at) => at);
  for (let row = 1; row <= word.length; row += 1) {
    const costs = [row];
    for (let at = 1; at <= meant.length; at += 1) {
      const isSame = word[row - 1] === meant[at - 1];
      const isSwapped = word[row - 1] === meant[at - 2] && word[row - 2] === meant[at - 1];
      costs[at] = Math.min(
        (last[at] ?? 0) + 1,
        (costs[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[at - 2] ?? Infinity) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, costs];
  }
  return (last[meant.length] ?? Infinity) <= most;
}
