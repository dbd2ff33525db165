import { randomBase62 } from './base62.ts';
import { hmacDigits, isSameText } from './hashing.ts';
import { newestOf, type SecretVersions } from './secrets.ts';

/**
 * Tokens that this service gives out: API keys, and the cookies of sessions and devices.
 *
 *     prefix, 22 random characters, 1 version of the secret, payload, 17 of MAC
 *
 * All in base62. The MAC is over all before it, so that made-up tokens are told from issued ones, and the payload is
 * known, before the database or KV is asked. Of keys and sessions the MAC only filters: whether one still holds
 * is for the database to say. A device rests on its MAC and the user's epoch.
 */
export interface TokenKind {
  /** Sets kinds apart, for secret scanners and for the MAC. */
  readonly prefix: string;
  /** In characters. */
  readonly payloadLength: number;
}

const randomLength = 22;
const macLength = 17;

/** A token that this service has issued. */
export interface IssuedToken {
  /** What is random in it: 131 bits. */
  readonly random: string;
  readonly payload: string;
}

/** How long tokens of a kind are, in characters. */
export function tokenLength({ prefix, payloadLength }: TokenKind): number {
  return prefix.length + randomLength + 1 + payloadLength + macLength;
}

/** Makes a token, under the newest secret. */
export async function issueToken(
  { prefix }: TokenKind,
  payload: string,
  secrets: SecretVersions,
  random: string = randomBase62(randomLength),
): Promise<string> {
  const [version, secret] = newestOf(secrets);
  const head = prefix + random + version + payload;
  return head + (await hmacDigits(secret, head, macLength));
}

/** Reads a token; null for one that was never issued, or whose version of the secret has been removed. */
export async function readToken(
  kind: TokenKind,
  token: string,
  secrets: SecretVersions,
): Promise<IssuedToken | null> {
  const { prefix } = kind;
  const body = token.slice(prefix.length);
  const hasForm =
    token.length === tokenLength(kind) && token.startsWith(prefix) && /^[0-9A-Za-z]+$/.test(body);
  const secret = secrets.get(body.charAt(randomLength));
  if (!hasForm || !secret) return null;
  const mac = await hmacDigits(secret, token.slice(0, -macLength), macLength);
  if (!isSameText(mac, token.slice(-macLength))) return null;
  return {
    random: body.slice(0, randomLength),
    payload: body.slice(randomLength + 1, -macLength),
  };
}
