import { pseudonym, randomBase62 } from './hashing.ts';
import type { SecretVersions } from './secrets.ts';
import { issueToken, readToken, type TokenKind } from './token.ts';

/** Prefix of mailbox ids; tokens omit it. */
const idPrefix = 'mbx_';
const idDigits = 17;

/** A new id for the mailbox of an account, with 101 random bits. */
export function newMailboxId(): string {
  return idPrefix + randomBase62(idDigits);
}

/** Providers whose mailboxes have several domains, and the characters that they ignore in names. */
const providers = [
  { domains: ['gmail.com', 'googlemail.com'], ignored: /\./g },
  { domains: ['proton.me', 'protonmail.com', 'pm.me'], ignored: /[._-]/g },
  { domains: ['icloud.com', 'me.com', 'mac.com'], ignored: null },
];

/**
 * The canonical address of the mailbox that a normalized address belongs to, the same for all its spellings.
 * Sources: support.google.com/mail/answer/7436150, proton.me/support/addresses-and-aliases,
 * support.apple.com/en-us/102547.
 */
function mailboxAddress(email: string): string {
  const [name = '', domain = ''] = email.split('@');
  const provider = providers.find(({ domains }) => domains.includes(domain));
  if (!provider) return email;
  const { ignored, domains } = provider;
  return `${ignored ? name.replace(ignored, '') : name}@${domains[0]}`;
}

/** The name under which a mailbox is stored: a pseudonym of its address. */
export function mailboxName(email: string, secret: Uint8Array<ArrayBuffer>): Promise<string> {
  return pseudonym('mailbox', mailboxAddress(email), secret);
}

/** A kind of token that is issued to a mailbox. */
export function mailboxTokens(prefix: string): TokenKind {
  return { prefix, payloadLength: idDigits };
}

/** Creates a token for a mailbox, under the newest secret. */
export function issueToMailbox(
  kind: TokenKind,
  mailboxId: string,
  secrets: SecretVersions,
): Promise<string> {
  return issueToken(kind, mailboxId.slice(idPrefix.length), secrets);
}

/** The id of the mailbox to which a token was issued; null for a token that was never issued. */
export async function mailboxOf(
  kind: TokenKind,
  token: string,
  secrets: SecretVersions,
): Promise<string | null> {
  const issued = await readToken(kind, token, secrets);
  return issued === null ? null : idPrefix + issued.payload;
}

/** A key or session token that this service issued; the database knows whether it is still valid. */
export interface Presented {
  /** SHA-256 of the token, for lookup. */
  readonly hash: string;
  /** Mailbox id of the account to which it was issued. */
  readonly mailboxId: string;
}
