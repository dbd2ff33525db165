import { randomBase62 } from './base62.ts';
import { pseudonym } from './hashing.ts';
import type { SecretVersions } from './secrets.ts';
import { issueToken, readToken, type TokenKind } from './token.ts';

/** Sets ids of mailboxes apart from others; tokens leave it out. */
const idPrefix = 'mbx_';
const idDigits = 17;

/** A fresh id for the mailbox of an account, with 101 random bits. */
export function newMailboxId(): string {
  return idPrefix + randomBase62(idDigits);
}

/** Providers whose mailboxes have several domains, and what in a name they take no notice of. */
const providers = [
  { domains: ['gmail.com', 'googlemail.com'], ignored: /\./g },
  { domains: ['proton.me', 'protonmail.com', 'pm.me'], ignored: /[._-]/g },
  { domains: ['icloud.com', 'me.com', 'mac.com'], ignored: null },
];

/**
 * The one address of the mailbox that a normalized address belongs to: all its spellings have the same.
 * Sources: support.google.com/mail/answer/7436150, proton.me/support/addresses-and-aliases, support.apple.com/en-us/102547.
 */
export function mailboxAddress(email: string): string {
  const [name = '', domain = ''] = email.split('@');
  const provider = providers.find(({ domains }) => domains.includes(domain));
  if (!provider) return email;
  const { ignored, domains } = provider;
  return `${ignored ? name.replace(ignored, '') : name}@${domains[0]}`;
}

/** What a mailbox is known by: a pseudonym of its address. */
export function mailboxName(email: string, secret: Uint8Array<ArrayBuffer>): Promise<string> {
  return pseudonym('mailbox', mailboxAddress(email), secret);
}

/** A kind of tokens that are issued to a mailbox. */
export function mailboxTokens(prefix: string): TokenKind {
  return { prefix, payloadLength: idDigits };
}

/** Makes a token for a mailbox, under the newest secret. */
export function issueToMailbox(
  kind: TokenKind,
  mailboxId: string,
  secrets: SecretVersions,
): Promise<string> {
  return issueToken(kind, mailboxId.slice(idPrefix.length), secrets);
}

/** The id of the mailbox that a token was issued to; null for a token that was never issued. */
export async function mailboxOf(
  kind: TokenKind,
  token: string,
  secrets: SecretVersions,
): Promise<string | null> {
  const issued = await readToken(kind, token, secrets);
  return issued === null ? null : idPrefix + issued.payload;
}

/** A key or a session that this service has issued; whether it still holds is for the database to say. */
export interface Presented {
  /** SHA-256 of what was presented, by which it is looked up. */
  readonly hash: string;
  /** Of the account that it was issued to. */
  readonly mailboxId: string;
}
