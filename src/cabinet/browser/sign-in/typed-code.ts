/** How many digits a code has. */
export const codeLengths = {
  usual: 6,
  /** After many wrong tries on an address. The API does not say beforehand. */
  guessed: 12,
} as const;

/** How often a code may be tried in the browser that asked for it. */
export const mostTries = 5;

/** What to do about a code that was refused, however often the one that was mailed has been tried. */
export function refusalWords(message: string, refused: readonly string[]): string {
  return refused.length < mostTries
    ? message
    : 'This code has been tried too often: have another one sent.';
}

/** The digits of a code as the service reads them; null when something else is among them. */
export function digitsOf(text: string): string | null {
  const digits = text.normalize('NFKC').replace(/[\s\p{Dash_Punctuation}]/gu, '');
  return /^[0-9]+$/.test(digits) ? digits : null;
}

/** The code in a sentence that was pasted, such as the subject of the mail; null when there is none. */
export function codeIn(sentence: string): string | null {
  return /(?<!\d)(?:\d{12}|\d{6})(?!\d)/.exec(sentence)?.[0] ?? null;
}

/** The code, when it can be one; otherwise null. */
export function wholeCode(text: string): string | null {
  const digits = digitsOf(text);
  const { usual, guessed } = codeLengths;
  return digits?.length === usual || digits?.length === guessed ? digits : null;
}

/**
 * Milliseconds after which a code is sent without the button, or null for not at
 * all. Six digits may be half of twelve, and each wrong try is one of five:
 * typed, they are sent after a pause and only as long as none was refused;
 * pasted or filled in at once, they are a whole code.
 */
export function pauseBeforeSending(
  before: string,
  after: string,
  refused: readonly string[],
): number | null {
  const code = wholeCode(after);
  if (code === null || refused.includes(code)) return null;
  if (code.length === codeLengths.guessed || countOfInserted(digitsOf(before) ?? '', code) > 1)
    return 300;
  return refused.length === 0 ? 900 : null;
}

/** How many characters came in at one place: one for a key that was pressed, more for what was pasted. */
function countOfInserted(before: string, after: string): number {
  let start = 0;
  while (start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return after.length - start - end;
}
