import { fromBase62, randomBase62, toBase62 } from './base62.ts';
import { sha256 } from './hashing.ts';
import type { Secret, SecretVersions } from './secrets.ts';
import { issueToken, readToken } from './token.ts';

/**
 * Ids of outputs, which are images kept for a few minutes so that they can be fetched (`/output/{id}`): a token (token.ts)
 * whose payload is the time of its issue in seconds, the user it was issued to, and the key that the images are sealed under.
 * That key stands nowhere else: whoever has what is stored, but not the id, has nothing.
 */
const timeDigits = 6;
const userDigits = 32;
/** 256 bits. */
const keyDigits = 43;
const kind = { prefix: 'out_', payloadLength: timeDigits + userDigits + keyDigits };

/** Sets ids of users apart from others; the ids of outputs leave it out. */
const userPrefix = 'usr_';

/** How long an output may be fetched, in milliseconds. */
export const outputLife = 600_000;

/** What the id of an output says. */
export interface OutputId {
  /** Sets it apart from all others. */
  readonly random: string;
  /** Milliseconds since 1970, in whole seconds. */
  readonly issuedAt: number;
  /** Until when it may be fetched. */
  readonly expiresAt: number;
  readonly userId: string;
  /** What it is stored under: says nothing of the id. */
  readonly name: string;
  /** What it is sealed under. */
  readonly key: Secret;
}

/** What is random in the id of an output; known before anything else of it. */
export function newOutputRandom(): string {
  return randomBase62(22);
}

/** Makes the id of an output, and says what stands in it. */
export async function issueOutputId(
  {
    random,
    userId,
    now,
  }: { readonly random: string; readonly userId: string; readonly now: number },
  secrets: SecretVersions,
): Promise<OutputId & { readonly text: string }> {
  const seconds = Math.floor(now / 1000);
  const user = userId.slice(userPrefix.length);
  if (!userId.startsWith(userPrefix) || user.length !== userDigits) throw new Error('no user');
  const key = randomBase62(keyDigits);
  const payload = toBase62(BigInt(seconds), timeDigits) + user + key;
  const text = await issueToken(kind, payload, secrets, random);
  return { text, ...(await described(text, random, payload)) };
}

/** Reads the id of an output, whatever its age; null for one that was never issued. */
export async function readOutputId(
  text: string,
  secrets: SecretVersions,
): Promise<OutputId | null> {
  const issued = await readToken(kind, text, secrets);
  return issued && described(text, issued.random, issued.payload);
}

async function described(text: string, random: string, payload: string): Promise<OutputId> {
  const keyAt = timeDigits + userDigits;
  const digits = new TextEncoder().encode(payload.slice(keyAt));
  const issuedAt = 1000 * fromBase62(payload.slice(0, timeDigits));
  return {
    random,
    issuedAt,
    expiresAt: issuedAt + outputLife,
    userId: userPrefix + payload.slice(timeDigits, keyAt),
    name: await sha256(text),
    key: new Uint8Array(await crypto.subtle.digest('SHA-256', digits)),
  };
}
