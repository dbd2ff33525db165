/** Number of digits of a code. */
export const codeLengths = {
  usual: 6,
  /** Used after many wrong attempts for an address; the API does not announce it. */
  guessed: 12,
} as const;

/** Attempts allowed for a code in the browser that requested it. */
export const maxAttempts = 5;

/** The message after a rejected code; after the last attempt, it says that a new code is needed. */
export function rejectionText(message: string, rejected: readonly string[]): string {
  return rejected.length < maxAttempts
    ? message
    : 'Too many attempts with this code. Request a new one.';
}

/** The digits of a code, normalized as the service does; null if there are other characters. */
export function digitsOf(text: string): string | null {
  const digits = text.normalize('NFKC').replace(/[\s\p{Dash_Punctuation}]/gu, '');
  return /^[0-9]+$/.test(digits) ? digits : null;
}

/** The code in pasted text, such as the subject of the email; null if there is none. */
export function codeIn(sentence: string): string | null {
  return /(?<!\d)(?:\d{12}|\d{6})(?!\d)/.exec(sentence)?.[0] ?? null;
}

/** The typed digits if they have the length of a code; otherwise null. */
export function wholeCode(text: string): string | null {
  const digits = digitsOf(text);
  const { usual, guessed } = codeLengths;
  return digits?.length === usual || digits?.length === guessed ? digits : null;
}

/**
 * Milliseconds until a code is submitted automatically; null for never. Six digits may be the first
 * half of twelve, and each wrong attempt is one of five. Typed digits are therefore submitted after a
 * longer pause, and only if no code was rejected yet; pasted or autofilled digits are a complete code.
 */
export function autoSubmitDelayFor(
  before: string,
  after: string,
  rejected: readonly string[],
): number | null {
  const code = wholeCode(after);
  if (code === null || rejected.includes(code)) return null;
  if (code.length === codeLengths.guessed || insertedCount(digitsOf(before) ?? '', code) > 1)
    return 300;
  return rejected.length === 0 ? 900 : null;
}

/** How many characters were inserted at one position: one by a key press, more by pasting. */
function insertedCount(before: string, after: string): number {
  let start = 0;
  while (start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return after.length - start - end;
}
