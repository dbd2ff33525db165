import { z } from 'zod';
import type { CodePolicy, Limit } from '../policy/limits.ts';
import { newId } from './database.ts';

/** A request for a code. */
interface NewChallenge {
  readonly id: string;
  /** Pseudonyms of the address and of the network that asks. */
  readonly address: string;
  readonly network: string;
  readonly now: number;
  readonly expiresAt: number;
}

type ClaimResult =
  | { readonly kind: 'claimed'; readonly digits: number }
  | { readonly kind: 'too-many'; readonly retryAt: number };

// In the fragments below: ?1 address, ?2 network, ?3 now.

/** When the oldest of the last `events` matching requests leaves the window, and another one is allowed. */
function freeAt(matching: string, { events, window }: Limit): string {
  return `coalesce((SELECT created_at + ${window} FROM challenges WHERE ${matching}
                    ORDER BY created_at DESC LIMIT 1 OFFSET ${events - 1}), 0)`;
}

function retryAt({ requests }: CodePolicy): string {
  return `max(
    ${freeAt('address = ?1', requests.perAddress)},
    ${freeAt('address = ?1 AND network = ?2', requests.perAddressAndNetwork)},
    ${freeAt('address = ?1', requests.perAddressHourly)},
    ${freeAt('network = ?2', requests.perNetwork)})`;
}

/** Wrong codes for the address since its last sign-in, within the window. */
function recentGuesses({ window }: Limit): string {
  return `(
    SELECT count(*) FROM code_tries t JOIN challenges c ON c.id = t.challenge_id
    WHERE c.address = ?1 AND t.tried_at > max(?3 - ${window},
      coalesce((SELECT max(ended_at) FROM challenges WHERE address = ?1 AND consumed_by IS NOT NULL), 0)))`;
}

const claimedRow = z.object({ digits: z.number() });
const refusedRow = z.object({ retry_at: z.number() });

/**
 * Opens a challenge if the limits allow another code for this address. The insert
 * is the gate and counts existing rows itself, so parallel requests cannot pass
 * it. The challenge is not live before its mail has gone out.
 */
export async function claimChallenge(
  db: D1Database,
  { id, address, network, now, expiresAt }: NewChallenge,
  policy: CodePolicy,
): Promise<ClaimResult> {
  const { digits, guessed } = policy;
  const [claimed, refused] = await db.batch([
    db
      .prepare(
        `INSERT INTO challenges (id, address, network, digits, created_at, expires_at)
         SELECT ?4, ?1, ?2,
                iif(${recentGuesses(guessed)} >= ${guessed.events}, ${digits.guessed}, ${digits.usual}),
                ?3, ?5
         WHERE ${retryAt(policy)} <= ?3
         RETURNING digits`,
      )
      .bind(address, network, now, id, expiresAt),
    db.prepare(`SELECT ${retryAt(policy)} AS retry_at`).bind(address, network),
  ]);
  const [row] = claimed?.results ?? [];
  if (row !== undefined) return { kind: 'claimed', digits: claimedRow.parse(row).digits };
  return { kind: 'too-many', retryAt: refusedRow.parse(refused?.results[0]).retry_at };
}

/** SQL condition that the code of a challenge is valid, not counting its tries. */
function live(now: string): string {
  return `sent_at IS NOT NULL AND ended_at IS NULL AND expires_at > ${now}`;
}

/**
 * Makes a challenge live after its mail has gone out. The challenge that it
 * replaces ends, and so do those of the address beyond the maximum: the oldest
 * of the same network first, so that strangers who keep requesting codes end
 * their own.
 * @param replacedId the challenge of the cookie that came with the request, if any
 */
export async function openChallenge(
  db: D1Database,
  { id, replacedId, now }: { id: string; replacedId: string | null; now: number },
  { live: maxLive }: CodePolicy,
): Promise<void> {
  const own = (column: string) => `(SELECT ${column} FROM challenges WHERE id = ?1)`;
  await db.batch([
    db.prepare('UPDATE challenges SET sent_at = ?2 WHERE id = ?1').bind(id, now),
    db
      .prepare('UPDATE challenges SET ended_at = ?2 WHERE id = ?1 AND ended_at IS NULL')
      .bind(replacedId, now),
    db
      .prepare(
        `UPDATE challenges SET ended_at = ?2 WHERE id IN (
           SELECT id FROM challenges WHERE address = ${own('address')} AND ${live('?2')}
           ORDER BY id = ?1 DESC, network = ${own('network')}, created_at DESC
           LIMIT -1 OFFSET ?3)`,
      )
      .bind(id, now, maxLive),
  ]);
}

/** Deletes a challenge whose mail did not go out: it does not count. */
export async function withdrawChallenge(db: D1Database, id: string): Promise<void> {
  await db.prepare('DELETE FROM challenges WHERE id = ?1 AND sent_at IS NULL').bind(id).run();
}

/** Someone has entered a code for an address. */
interface CodeTry {
  readonly id: string;
  /** Pseudonym of the address. */
  readonly address: string;
  /**
   * The challenge that the caller's cookie names, whether or not there is one;
   * null without a cookie: the newest of the address is meant.
   */
  readonly challengeId: string | null;
  /** Pseudonym of the network that it came from. */
  readonly network: string;
  readonly now: number;
}

const tryRow = z.object({ challenge_id: z.string().nullable() });

/**
 * Takes one of the remaining tries and returns the challenge to compare with;
 * null: none, for whatever reason. The try is counted as a failure before the
 * comparison, so that parallel requests cannot exceed the budgets. A row is
 * written in any case: otherwise the time would reveal whether there is a challenge.
 */
export async function takeTry(
  db: D1Database,
  { id, address, challengeId, network, now }: CodeTry,
  { wrong: { perChallenge, perNetwork } }: CodePolicy,
): Promise<string | null> {
  const row = await db
    .prepare(
      `INSERT INTO code_tries (id, challenge_id, with_cookie, network, tried_at)
       SELECT ?1, (
         SELECT c.id FROM (
           SELECT id FROM challenges WHERE address = ?2 AND ${live('?5')} AND id = coalesce(?3, id)
           ORDER BY created_at DESC LIMIT 1) c
         WHERE ${perChallenge} > (SELECT count(*) FROM code_tries
             WHERE challenge_id = c.id AND with_cookie = (?3 IS NOT NULL))
           AND ${perNetwork.events} > (SELECT count(*) FROM code_tries
             WHERE network = ?4 AND tried_at > ?5 - ${perNetwork.window} AND challenge_id IS NOT NULL)
       ), ?3 IS NOT NULL, ?4, ?5
       RETURNING challenge_id`,
    )
    .bind(id, address, challengeId, network, now)
    .first();
  return tryRow.parse(row).challenge_id;
}

/** Deletes a try that could not be checked: it does not count. */
export async function returnTry(db: D1Database, id: string): Promise<void> {
  await db.prepare('DELETE FROM code_tries WHERE id = ?1').bind(id).run();
}

const keyOf = (challengeId: string) => `code:${challengeId}`;

/**
 * Stores a sealed code for `life` seconds. Nobody has read this KV key before, so
 * no location has it cached as missing.
 */
export async function putSignInCode(
  kv: KVNamespace,
  challengeId: string,
  sealed: string,
  life: number,
): Promise<void> {
  await kv.put(keyOf(challengeId), sealed, { expirationTtl: life });
}

/**
 * The sealed code of a challenge; null when KV does not have it, or fails.
 * @param expected whether it should be there: then it is read twice, since KV may be a moment late
 */
export async function findSignInCode(
  kv: KVNamespace,
  challengeId: string,
  expected: boolean,
): Promise<string | null> {
  const look = () => kv.get(keyOf(challengeId)).catch(() => null);
  const sealed = await look();
  return sealed === null && expected ? look() : sealed;
}

/** A correct code, and the session to open for it. */
export interface SignIn {
  readonly challengeId: string;
  readonly tryId: string;
  readonly email: string;
  /** Pseudonym of the e-mail address. */
  readonly address: string;
  readonly sessionHash: string;
  readonly sessionExpiresAt: number;
  /** The session that came with the request, which the new one replaces, if any. */
  readonly replacedSessionHash: string | null;
}

const sessionRow = z.object({ user_id: z.string() });

/**
 * Consumes a code: ends its challenge, creates the user if new, opens the session.
 * One transaction whose later statements check the mark that the first one has
 * set, so of parallel calls with the same code only one succeeds.
 * @returns the id of the user, or null when the code was used or has expired meanwhile
 */
export async function completeSignIn(
  db: D1Database,
  signIn: SignIn,
  now: number,
): Promise<string | null> {
  const { challengeId, tryId, email, address, sessionHash, sessionExpiresAt, replacedSessionHash } =
    signIn;
  const mine = 'EXISTS (SELECT 1 FROM challenges WHERE id = ?1 AND consumed_by = ?2)';
  const results = await db.batch([
    db
      .prepare(
        `UPDATE challenges SET ended_at = ?3, consumed_by = ?2
         WHERE id = ?1 AND ended_at IS NULL AND expires_at > ?3`,
      )
      .bind(challengeId, tryId, now),
    db
      .prepare(
        // Who comes back after deleting an account goes on where the free files stood.
        `INSERT INTO users (id, email, created_at, free_month, free_used, uncharged_day, uncharged_used)
         SELECT ?3, ?4, ?5, coalesce(f.free_month, ''), coalesce(f.free_used, 0),
                coalesce(f.uncharged_day, ''), coalesce(f.uncharged_used, 0)
         FROM (SELECT 1) LEFT JOIN (
           SELECT * FROM users WHERE former_address = ?6 ORDER BY created_at DESC LIMIT 1) f
         WHERE ${mine}
         ON CONFLICT (email) DO NOTHING`,
      )
      .bind(challengeId, tryId, newId('usr'), email, now, address),
    db
      .prepare(`DELETE FROM sessions WHERE hash = ?3 AND ${mine}`)
      .bind(challengeId, tryId, replacedSessionHash),
    // a right code is no failure, whoever was first with it
    db.prepare('DELETE FROM code_tries WHERE id = ?1').bind(tryId),
    db
      .prepare(
        `INSERT INTO sessions (hash, user_id, created_at, expires_at)
         SELECT ?3, id, ?4, ?5 FROM users WHERE email = ?6 AND ${mine}
         RETURNING user_id`,
      )
      .bind(challengeId, tryId, sessionHash, now, sessionExpiresAt, email),
  ]);
  const [row] = results.at(-1)?.results ?? [];
  return row === undefined ? null : sessionRow.parse(row).user_id;
}
