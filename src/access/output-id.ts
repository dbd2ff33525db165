import { fromBase62, randomBase62, sha256, toBase62 } from './hashing.ts';
import type { Secret, SecretVersions } from './secrets.ts';
import { issueToken, readToken } from './token.ts';

/**
 * Ids of outputs, which are images stored for a few minutes so that they can be fetched (`/output/{id}`). An id is a
 * token (token.ts) whose payload consists of the issue time in seconds, a character for the type of the image, the user
 * to whom it was issued, and the key under which the images are sealed. That key is stored nowhere else: the stored
 * data is useless without the id.
 */
const timeDigits = 6;
const userDigits = 32;
/** 256 bits. */
const keyDigits = 43;
const kind = { prefix: 'out_', payloadLength: timeDigits + 1 + userDigits + keyDigits };

/** Prefix of user ids; output ids omit it. */
const userPrefix = 'usr_';

/** How long an output may be fetched, in milliseconds. */
export const outputLife = 600_000;

/** An image that can be fetched by its id. */
export interface Output {
  /** Random part of the id, unique to the output. */
  readonly random: string;
  readonly userId: string;
  /** The name under which it is stored: reveals nothing about the id. */
  readonly name: string;
  /** The key under which it is sealed. */
  readonly key: Secret;
}

/** An output whose id has not been issued yet. */
export interface NewOutput extends Output {
  /** The key as it appears in the id. */
  readonly keyText: string;
}

/** An output as described by its id. */
export interface IssuedOutput extends Output {
  /** Milliseconds since 1970, in whole seconds. */
  readonly issuedAt: number;
  /** Milliseconds since 1970 until which it may be fetched. */
  readonly expiresAt: number;
  /** One base62 digit for the type of the image. */
  readonly mark: string;
}

/** The random part of an output id, created before the rest of the id is known. */
export function newOutputRandom(): string {
  return randomBase62(22);
}

/** Creates an output of a user, with its own key. */
export async function newOutput(random: string, userId: string): Promise<NewOutput> {
  const keyText = randomBase62(keyDigits);
  return { keyText, ...(await outputOf(random, userId, keyText)) };
}

/**
 * Issues the id of an output.
 * @param mark one base62 digit
 */
export function issueOutputId(
  { random, userId, keyText }: NewOutput,
  { mark, now }: { readonly mark: string; readonly now: number },
  secrets: SecretVersions,
): Promise<string> {
  const user = userId.slice(userPrefix.length);
  if (!userId.startsWith(userPrefix) || user.length !== userDigits) throw new Error('no user');
  const time = toBase62(BigInt(Math.floor(now / 1000)), timeDigits);
  return issueToken(kind, time + mark + user + keyText, secrets, random);
}

/** Reads the id of an output, whatever its age; null for an id that was never issued. */
export async function readOutputId(
  text: string,
  secrets: SecretVersions,
): Promise<IssuedOutput | null> {
  const issued = await readToken(kind, text, secrets);
  if (!issued) return null;
  const { random, payload } = issued;
  const [userAt, keyAt] = [timeDigits + 1, timeDigits + 1 + userDigits];
  const issuedAt = 1000 * fromBase62(payload.slice(0, timeDigits));
  return {
    issuedAt,
    expiresAt: issuedAt + outputLife,
    mark: payload.charAt(timeDigits),
    ...(await outputOf(random, userPrefix + payload.slice(userAt, keyAt), payload.slice(keyAt))),
  };
}

async function outputOf(random: string, userId: string, keyText: string): Promise<Output> {
  const digits = new TextEncoder().encode(keyText);
  return {
    random,
    userId,
    name: await sha256(`${random} ${keyText}`),
    key: new Uint8Array(await crypto.subtle.digest('SHA-256', digits)),
  };
}
