import { hmacDigits, isSameText, randomBase62 } from './hashing.ts';
import { newestOf, type SecretVersions } from './secrets.ts';

/**
 * The tokens that this service issues: API keys, session and device cookies, and the ids of outputs and unsubscribe
 * links.
 *
 *     prefix, 22 random characters, 1 version of the secret, payload, 17 of MAC
 *
 * All parts are in base62. The MAC covers everything before it, so that forged tokens are recognized, and the payload
 * is known, without a database or KV query. For keys and sessions the MAC is only a filter, and the database knows
 * whether they are still valid. A device relies on its MAC and the user's epoch.
 */
export interface TokenKind {
  /** Distinguishes kinds of tokens, for secret scanners and for the MAC. */
  readonly prefix: string;
  /** Length in characters. */
  readonly payloadLength: number;
}

const randomLength = 22;
const macLength = 17;

/** A token that this service issued. */
export interface IssuedToken {
  /** The random part: 131 bits. */
  readonly random: string;
  readonly payload: string;
}

/** The length of tokens of a kind, in characters. */
export function tokenLength({ prefix, payloadLength }: TokenKind): number {
  return prefix.length + randomLength + 1 + payloadLength + macLength;
}

/** Creates a token, under the newest secret. */
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
  const isWellFormed =
    token.length === tokenLength(kind) && token.startsWith(prefix) && /^[0-9A-Za-z]+$/.test(body);
  const secret = secrets.get(body.charAt(randomLength));
  if (!isWellFormed || !secret) return null;
  const mac = await hmacDigits(secret, token.slice(0, -macLength), macLength);
  if (!isSameText(mac, token.slice(-macLength))) return null;
  return {
    random: body.slice(0, randomLength),
    payload: body.slice(randomLength + 1, -macLength),
  };
}
