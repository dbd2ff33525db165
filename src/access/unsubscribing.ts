import { fromBase62, toBase62 } from './hashing.ts';
import type { SecretVersions } from './secrets.ts';
import { issueToken, readToken, type TokenKind } from './token.ts';

/** Prefix of the 32 hexadecimal digits of a user id; tokens omit it. */
const idPrefix = 'usr_';
const idDigits = 32;
const epochDigits = 6;

/**
 * Unsubscribe tokens. Payload: the user whose mails to stop, and the epoch of that setting, so that each link works
 * once.
 */
const kind: TokenKind = { prefix: 'uns_', payloadLength: idDigits + epochDigits };

/** The user whose mails a link stops, and the epoch of that setting. */
interface Unsubscription {
  readonly userId: string;
  readonly epoch: number;
}

/** Creates the token of a link that stops mails without signing in. */
export function makeUnsubscribeToken(
  { userId, epoch }: Unsubscription,
  secrets: SecretVersions,
): Promise<string> {
  const payload = userId.slice(idPrefix.length) + toBase62(BigInt(epoch), epochDigits);
  return issueToken(kind, payload, secrets);
}

/** Reads an unsubscribe token; null for one that was never issued. */
export async function readUnsubscribeToken(
  token: string,
  secrets: SecretVersions,
): Promise<Unsubscription | null> {
  const issued = await readToken(kind, token, secrets);
  if (issued === null) return null;
  const { payload } = issued;
  return {
    userId: idPrefix + payload.slice(0, idDigits),
    epoch: fromBase62(payload.slice(idDigits)),
  };
}
