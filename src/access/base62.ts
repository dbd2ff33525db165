/** Digits, capital and small letters: a double click selects a text of them as a whole. */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` random characters of base62, of 5.95 bits each. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 = 4 × 62: the values above would favour the first characters
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}

/** A number in base62, the most significant digit first, padded with zeros to so many digits. */
export function toBase62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= 62n) {
    text = alphabet.charAt(Number(rest % 62n)) + text;
  }
  return text;
}

/** The number that digits of base62 stand for; nothing else may be in the text. */
export function fromBase62(text: string): number {
  return [...text].reduce((value, digit) => 62 * value + alphabet.indexOf(digit), 0);
}
