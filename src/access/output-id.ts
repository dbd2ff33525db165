import { fromBase62, randomBase62, toBase62 } from './base62.ts';
import { sha256 } from './hashing.ts';
import type { Secret, SecretVersions } from './secrets.ts';
import { issueToken, readToken } from './token.ts';

/**
 * Ids of outputs, which are images kept for a few minutes so that they can be fetched (`/output/{id}`): a token (token.ts)
 * whose payload is the time of its issue in seconds, a character that says what the image is, the user it was issued to, and the
 * key that the images are sealed under. That key stands nowhere else: whoever has what is stored, but not the id, has nothing.
 */
const timeDigits = 6;
const userDigits = 32;
/** 256 bits. */
const keyDigits = 43;
const kind = { prefix: 'out_', payloadLength: timeDigits + 1 + userDigits + keyDigits };

/** Sets ids of users apart from others; the ids of outputs leave it out. */
const userPrefix = 'usr_';

/** How long an output may be fetched, in milliseconds. */
export const outputLife = 600_000;

/** Something that can be fetched by its id. */
export interface Output {
  /** Sets it apart from all others. */
  readonly random: string;
  readonly userId: string;
  /** What it is stored under: says nothing of the id. */
  readonly name: string;
  /** What it is sealed under. */
  readonly key: Secret;
}

/** An output that is to be given an id. */
export interface NewOutput extends Output {
  /** The key as the id has it. */
  readonly keyText: string;
}

/** An output as its id tells of it. */
export interface IssuedOutput extends Output {
  /** Milliseconds since 1970, in whole seconds. */
  readonly issuedAt: number;
  /** Until when it may be fetched, likewise. */
  readonly expiresAt: number;
  /** One digit of base62 that says what the image is. */
  readonly mark: string;
}

/** What is random in the id of an output; known before anything else of it. */
export function newOutputRandom(): string {
  return randomBase62(22);
}

/** Begins an output of a user, under a key of its own. */
export async function newOutput(random: string, userId: string): Promise<NewOutput> {
  const keyText = randomBase62(keyDigits);
  return { keyText, ...(await described(random, userId, keyText)) };
}

/** Issues the id of an output. @param mark one digit of base62 */
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

/** Reads the id of an output, whatever its age; null for one that was never issued. */
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
    ...(await described(random, userPrefix + payload.slice(userAt, keyAt), payload.slice(keyAt))),
  };
}

async function described(random: string, userId: string, keyText: string): Promise<Output> {
  const digits = new TextEncoder().encode(keyText);
  return {
    random,
    userId,
    name: await sha256(`${random} ${keyText}`),
    key: new Uint8Array(await crypto.subtle.digest('SHA-256', digits)),
  };
}
