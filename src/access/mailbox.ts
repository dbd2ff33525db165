import { randomBase62 } from './base62.ts';

/** In tokens the prefix is left out. */
const prefix = 'mbx_';

/** Length of an id without its prefix, in characters. */
export const mailboxDigits = 17;

/** A fresh id for the mailbox of an account, with 101 random bits. */
export function newMailboxId(): string {
  return prefix + randomBase62(mailboxDigits);
}

/** An id as tokens carry it. */
export function withoutPrefix(mailboxId: string): string {
  return mailboxId.slice(prefix.length);
}

export function withPrefix(payload: string): string {
  return prefix + payload;
}
