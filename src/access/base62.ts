/** Digits, capital and small letters: a double click selects such a text as a whole. */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` random base62 characters, with 5.95 bits each. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 = 4 × 62: the values above would favor the first characters.
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}

/** A number in base62, most significant digit first, padded with zeros to `digits` digits. */
export function toBase62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= 62n) {
    text = alphabet.charAt(Number(rest % 62n)) + text;
  }
  return text;
}

/** The value of base62 digits; the text must not contain anything else. */
export function fromBase62(text: string): number {
  return [...text].reduce((value, digit) => 62 * value + alphabet.indexOf(digit), 0);
}
