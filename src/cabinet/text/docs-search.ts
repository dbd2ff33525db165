/** What search finds: a section of a page, or an operation of the API. */
export interface SearchEntry {
  readonly path: string;
  /** Title of the page. */
  readonly page: string;
  readonly heading: string;
  /** Plain text of the section. */
  readonly text: string;
}

export interface SearchHit {
  readonly entry: SearchEntry;
  /** The words around the first match in the text. */
  readonly excerpt: string;
}

/** Characters of an excerpt, and how many of them stand before the match. */
const excerptLength = 140;
const excerptBefore = 40;

/**
 * The sections that contain every word of a query, or words that begin with it, the best first:
 * a heading counts for more than the title of its page, and that for more than the text.
 */
export function searchDocs(
  entries: readonly SearchEntry[],
  query: string,
  limit = 8,
): readonly SearchHit[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return entries
    .flatMap((entry) => {
      const scores = words.map((word) => scoreOf(entry, word));
      const score = scores.includes(0) ? 0 : scores.reduce((sum, one) => sum + one, 0);
      return score > 0 ? [{ entry, score }] : [];
    })
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ entry }) => ({ entry, excerpt: excerptOf(entry.text, words) }));
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

function scoreOf({ heading, page, text }: SearchEntry, word: string): number {
  const headingWords = wordsOf(heading);
  const textMatches = wordsOf(text).filter((one) => one.startsWith(word)).length;
  return (
    (headingWords.includes(word) ? 12 : 0) +
    // nothing but the word: an option, a code
    (headingWords.length === 1 && headingWords[0] === word ? 6 : 0) +
    (headingWords.some((one) => one.startsWith(word)) ? 8 : 0) +
    (wordsOf(page).some((one) => one.startsWith(word)) ? 2 : 0) +
    Math.min(textMatches, 4)
  );
}

function excerptOf(text: string, words: readonly string[]): string {
  const places = words
    .map((word) => text.toLowerCase().search(new RegExp(`(?<![\\p{L}\\p{N}_])${word}`, 'u')))
    .filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - excerptBefore);
  const begin = start === 0 || places.length === 0 ? 0 : text.indexOf(' ', start) + 1;
  const part = text.slice(begin, begin + excerptLength);
  const isCut = begin + excerptLength < text.length;
  return `${begin > 0 ? '… ' : ''}${isCut ? part.slice(0, part.lastIndexOf(' ')) : part}${isCut ? ' …' : ''}`;
}
