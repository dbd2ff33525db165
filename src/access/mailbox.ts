import { randomBase62 } from './base62.ts';
import type { SecretVersions } from './secrets.ts';
import { issueToken, readToken, type TokenKind } from './token.ts';

/** Sets ids of mailboxes apart from others; tokens leave it out. */
const idPrefix = 'mbx_';
const idDigits = 17;

/** A fresh id for the mailbox of an account, with 101 random bits. */
export function newMailboxId(): string {
  return idPrefix + randomBase62(idDigits);
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
