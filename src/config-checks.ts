import { z } from 'zod';

// Checks of settings: each parses a text, or states what it should look like.

/** Variables are strings: `500` without quotes in wrangler.toml is a number. */
export const text = z.string({
  error: ({ input }) => (input === undefined ? 'is missing' : 'should be text, in quotes'),
});

export const count = (example: string) =>
  text.regex(/^\d{1,9}$/, `should be a whole number such as "${example}"`).transform(Number);

export const flag = z
  .enum(['', '1', 'true'], { error: 'should be "true", or empty' })
  .transform((value) => value !== '');

/** Parses a switch; null if the text is neither on nor off. */
export function parseSwitch(text: string): boolean | null {
  if (/^(on|1|true)$/i.test(text)) return true;
  return /^(off|0|false|)$/i.test(text) ? false : null;
}

/** @param parse returns null for a text that it cannot parse */
export function parsedWith<Value>(parse: (text: string) => Value | null, complaint: string) {
  return text.transform((value, context): Value => {
    const result = parse(value);
    if (result !== null) return result;
    context.addIssue(complaint);
    return z.NEVER;
  });
}

/** Optional text; an empty secret counts as absent. */
export const optionalText = (isValid: (text: string) => boolean, complaint: string) =>
  z
    .string()
    .refine((value) => value === '' || isValid(value), complaint)
    .default('');

/** Parses a fraction from 0 to 1; null if the text is not one. */
export function parseShare(text: string): number | null {
  if (text === '') return 0;
  if (/^(1|true)$/.test(text)) return 1;
  const share = /^0?\.\d{1,6}$/.test(text) ? Number(text) : 0;
  return share > 0 ? share : null;
}

/** Whether a text is a link to a page, or to an email address. */
export function isLink(value: string): boolean {
  return /^(https?|mailto):$/.test(URL.parse(value)?.protocol ?? '');
}

/** Whether a text is the origin of a website as browsers write it, such as `https://img.example`. */
export function isOrigin(value: string): boolean {
  return /^https?:/.test(value) && URL.parse(value)?.origin === value;
}
