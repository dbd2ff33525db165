import { z } from 'zod';
import type { D1Database, KVNamespace } from '../platform.ts';
import type { CodePolicy, Limit, MailTerms } from '../policy/limits.ts';
import { newId } from './database.ts';

/** A client that requests or enters a code; all members except the last are pseudonyms. */
export interface Visitor {
  readonly address: string;
  readonly network: string;
  /** The /48 of an IPv6 network; null if there is none. */
  readonly site: string | null;
  /** The device from the cookie; the database knows whether its epoch is still that of the user. */
  readonly device: { readonly id: string; readonly epoch: number } | null;
  /** In clear text, to find the user. */
  readonly email: string;
}

/** A request for a code. */
interface NewChallenge {
  readonly id: string;
  readonly now: number;
  readonly expiresAt: number;
}

type ClaimResult =
  | { readonly kind: 'claimed'; readonly digits: number }
  | {
      readonly kind: 'too-many';
      readonly retryAt: number;
      /** Whether the day's mails are used up. */
      readonly isOutOfMails: boolean;
    };

// In the fragments below: ?1 address, ?2 network, ?3 site, ?4 now, ?5 device, ?6 epoch, ?7 email address.

/**
 * SQL: the known device; null for unknown ones, including devices whose user has signed out everywhere or was deleted.
 */
const caller = `
  caller(device) AS (SELECT (SELECT ?5 FROM users WHERE email = ?7 AND epoch = ?6))`;

const device = '(SELECT device FROM caller)';

function visitorValues({ address, network, site, device, email }: Visitor, now: number) {
  return [address, network, site, now, device?.id ?? null, device?.epoch ?? null, email];
}

/** SQL: when the oldest of the last `events` matching requests leaves the window, so that another one is allowed. */
function freeAt(matching: string, { events, window }: Limit): string {
  return `coalesce((SELECT created_at + ${window} FROM challenges
                    WHERE ${matching} AND created_at > ?4 - ${window}
                    ORDER BY created_at DESC LIMIT 1 OFFSET ${events - 1}), 0)`;
}

function scaled(factor: number, { events, window }: Limit): Limit {
  return { events: factor * events, window };
}

/** SQL: when the next code may be requested. */
function retryAt({ requests, siteFactor }: CodePolicy): string {
  const { coolDown, perAddress, perAddressAndNetwork, perNetwork } = requests;
  const { perDevice, devicesPerAddress, devicesPerNetwork } = requests;
  const byAddress = 'address = ?1 AND device IS NULL';
  const byNetwork = 'network = ?2 AND device IS NULL';
  const bySite = 'site = ?3 AND device IS NULL';
  const byDevice = `device = ${device}`;
  // Ensures that no other account in its network can lock a device out.
  const firstOfDay = { events: 1, window: devicesPerAddress.window };
  return `iif(${device} IS NULL,
    max(
      ${freeAt(byAddress, coolDown)},
      ${freeAt(byAddress, perAddress)},
      ${freeAt(`${byNetwork} AND address = ?1`, perAddressAndNetwork)},
      ${freeAt(`${bySite} AND address = ?1`, scaled(siteFactor, perAddressAndNetwork))},
      ${freeAt(byNetwork, perNetwork)},
      ${freeAt(bySite, scaled(siteFactor, perNetwork))}),
    max(
      ${freeAt(byDevice, coolDown)},
      ${freeAt(byDevice, perDevice)},
      ${freeAt('address = ?1 AND device IS NOT NULL', devicesPerAddress)},
      iif(${freeAt(byDevice, firstOfDay)} = 0, 0, max(
        ${freeAt('network = ?2 AND device IS NOT NULL', devicesPerNetwork)},
        ${freeAt('site = ?3 AND device IS NOT NULL', scaled(siteFactor, devicesPerNetwork))}))))`;
}

/** SQL: number of wrong codes for the address since its last sign-in, within the window. */
function recentGuesses({ window }: Limit): string {
  return `(
    SELECT count(*) FROM code_tries t JOIN challenges c ON c.id = t.challenge_id
    WHERE c.address = ?1 AND t.tried_at > max(?4 - ${window},
      coalesce((SELECT max(ended_at) FROM challenges WHERE address = ?1 AND consumed_by IS NOT NULL), 0)))`;
}

const claimedRow = z.object({ digits: z.number() });
const refusedRow = z.object({ retry_at: z.number(), is_out_of_mails: z.number() });

/**
 * Opens a challenge if the limits allow another code for this address and another mail today. The insert itself
 * enforces the limits by counting existing rows, so parallel requests cannot exceed them. The challenge is not live
 * before its mail has been sent.
 */
export async function claimChallenge(
  db: D1Database,
  { id, now, expiresAt }: NewChallenge,
  visitor: Visitor,
  policy: CodePolicy,
  { day, tomorrow, forAll, forStrangers }: MailTerms,
): Promise<ClaimResult> {
  const { digits, guessed } = policy;
  const values = visitorValues(visitor, now);
  const isMailLeft = `coalesce((SELECT mails FROM mail_days WHERE day = ?8), 0)
    < iif(${device} IS NULL, ${forStrangers}, ${forAll})`;
  const [claimed, , refused] = await db.batch([
    db
      .prepare(
        `WITH ${caller}
         INSERT INTO challenges (id, address, network, site, device, digits, created_at, expires_at)
         SELECT ?9, ?1, ?2, ?3, ${device},
                iif(${device} IS NULL AND ${recentGuesses(guessed)} >= ${guessed.events},
                    ${digits.guessed}, ${digits.usual}),
                ?4, ?10
         WHERE ${retryAt(policy)} <= ?4 AND ${isMailLeft}
         RETURNING digits`,
      )
      .bind(...values, day, id, expiresAt),
    db
      .prepare(
        `INSERT INTO mail_days (day, mails)
         SELECT ?2, 1 WHERE EXISTS (SELECT 1 FROM challenges WHERE id = ?1)
         ON CONFLICT (day) DO UPDATE SET mails = mails + 1`,
      )
      .bind(id, day),
    db
      .prepare(
        `WITH ${caller} SELECT ${retryAt(policy)} AS retry_at, NOT (${isMailLeft}) AS is_out_of_mails`,
      )
      .bind(...values, day),
  ]);
  const [row] = claimed?.results ?? [];
  if (row !== undefined) return { kind: 'claimed', digits: claimedRow.parse(row).digits };
  const { retry_at, is_out_of_mails } = refusedRow.parse(refused?.results[0]);
  const isOutOfMails = is_out_of_mails === 1;
  return {
    kind: 'too-many',
    retryAt: Math.max(retry_at, isOutOfMails ? tomorrow : 0),
    isOutOfMails,
  };
}

/** SQL condition: the code of a challenge is valid, regardless of its tries. */
function live(now: string): string {
  return `sent_at IS NOT NULL AND ended_at IS NULL AND expires_at > ${now}`;
}

/** A challenge whose mail has been sent. */
interface SentChallenge {
  readonly id: string;
  /** The code, sealed. */
  readonly code: string;
  /** The challenge in the cookie of the request, if any. */
  readonly replacedId: string | null;
  readonly now: number;
}

/**
 * Makes a challenge live after its mail has been sent. Ends the challenge that it replaces, and those beyond the
 * maximum for the same device, or for all unknown devices of the address: first the oldest of the same network, so that
 * strangers who keep requesting codes end their own.
 */
export async function openChallenge(
  db: D1Database,
  { id, code, replacedId, now }: SentChallenge,
  { live: maxLive }: CodePolicy,
): Promise<void> {
  const own = (column: string) => `(SELECT ${column} FROM challenges WHERE id = ?1)`;
  await db.batch([
    db.prepare('UPDATE challenges SET sent_at = ?2, code = ?3 WHERE id = ?1').bind(id, now, code),
    db
      .prepare('UPDATE challenges SET ended_at = ?2 WHERE id = ?1 AND ended_at IS NULL')
      .bind(replacedId, now),
    db
      .prepare(
        `UPDATE challenges SET ended_at = ?2 WHERE id IN (
           SELECT id FROM challenges
           WHERE address = ${own('address')} AND device IS ${own('device')} AND ${live('?2')}
           ORDER BY id = ?1 DESC, network = ${own('network')}, created_at DESC
           LIMIT -1 OFFSET ?3)`,
      )
      .bind(id, now, maxLive),
  ]);
}

/** Deletes a challenge whose mail was not sent: neither the challenge nor the mail counts. */
export async function withdrawChallenge(db: D1Database, id: string): Promise<void> {
  const unsent = 'FROM challenges WHERE id = ?1 AND sent_at IS NULL';
  await db.batch([
    db
      .prepare(
        `UPDATE mail_days SET mails = mails - 1
         WHERE day = (SELECT strftime('%Y-%m-%d', created_at / 1000, 'unixepoch') ${unsent})`,
      )
      .bind(id),
    db.prepare(`DELETE ${unsent}`).bind(id),
  ]);
}

/** A code that was entered for an address. */
interface CodeTry {
  readonly id: string;
  /**
   * The challenge id in the client's cookie, whether or not it exists; null without a cookie, which means the newest
   * challenge of the address.
   */
  readonly challengeId: string | null;
  /** HMAC of the canonical address of the mailbox to which the code was sent. */
  readonly mailboxName: string;
  readonly now: number;
}

/** SQL: the mailbox of the user with an address, or else the one with a name. */
function mailboxOf(email: string, name: string): string {
  return `coalesce((SELECT mailbox_id FROM users WHERE email = ${email}),
                   (SELECT id FROM mailboxes WHERE name = ${name}))`;
}

/** The challenge with which a code is compared. */
interface TakenTry {
  /** Null if there is no challenge to compare with, or no try is left. */
  readonly challengeId: string | null;
  /** The sealed code as stored in D1. */
  readonly code: string | null;
  /** The mailbox of the user with the address, or with the name; null if it is new. */
  readonly mailboxId: string | null;
}

const tryRow = z
  .object({
    challenge_id: z.string().nullable(),
    code: z.string().nullable(),
    mailbox_id: z.string().nullable(),
  })
  .transform(
    (row): TakenTry => ({
      challengeId: row.challenge_id,
      code: row.code,
      mailboxId: row.mailbox_id,
    }),
  );

/** SQL condition: fewer than `events` tries match within the window. */
function isBelow({ events, window }: Limit, matching: string): string {
  return `${events} > (SELECT count(*) FROM code_tries WHERE ${matching} AND tried_at > ?4 - ${window})`;
}

/**
 * Takes one of the remaining tries and returns the challenge to compare with. The try counts as a failure before the
 * comparison, so parallel requests cannot exceed the budgets. A row is written whether or not there is a challenge,
 * because the response time would reveal that otherwise. Only networks and sites that have entered too many codes of
 * any kind get no more rows. A known device with the cookie of its own challenge has its own budgets, independent of
 * others in its network.
 */
export async function takeTry(
  db: D1Database,
  { id, challengeId, mailboxName, now }: CodeTry,
  visitor: Visitor,
  { wrong, tries, siteFactor }: CodePolicy,
): Promise<TakenTry> {
  const compared = 'challenge_id IS NOT NULL';
  const ofNetwork = 'network = ?2';
  const ofSite = 'site = ?3';
  const row = await db
    .prepare(
      `WITH ${caller},
         named AS (
           SELECT id, ?9 IS NOT NULL AND device = ${device} AND ${wrong.perDevice.events} > (
               SELECT count(*) FROM code_tries t JOIN challenges c ON c.id = t.challenge_id
               WHERE c.device = ${device} AND t.with_cookie
               AND t.tried_at > ?4 - ${wrong.perDevice.window}) AS is_own
           FROM challenges
           WHERE address = ?1 AND ${live('?4')} AND id = coalesce(?9, id)
           ORDER BY created_at DESC LIMIT 1),
         meant AS (
           SELECT id, is_own FROM named
           WHERE ${wrong.perChallenge} > (SELECT count(*) FROM code_tries
             WHERE challenge_id = named.id AND with_cookie = (?9 IS NOT NULL)))
       INSERT INTO code_tries (id, challenge_id, with_cookie, network, site, tried_at)
       SELECT ?8, (
           SELECT id FROM meant WHERE is_own OR (
             ${isBelow(wrong.perNetwork, `${ofNetwork} AND ${compared}`)}
             AND ${isBelow(scaled(siteFactor, wrong.perNetwork), `${ofSite} AND ${compared}`)})),
         ?9 IS NOT NULL, ?2, ?3, ?4
       WHERE EXISTS (SELECT 1 FROM meant WHERE is_own) OR (
         ${isBelow(tries, ofNetwork)} AND ${isBelow(scaled(siteFactor, tries), ofSite)})
       RETURNING challenge_id,
                 (SELECT code FROM challenges WHERE challenges.id = challenge_id) AS code,
                 ${mailboxOf('?7', '?10')} AS mailbox_id`,
    )
    .bind(...visitorValues(visitor, now), id, challengeId, mailboxName)
    .first();
  return row === null ? { challengeId: null, code: null, mailboxId: null } : tryRow.parse(row);
}

/** Deletes a try that could not be checked, so that it does not count. */
export async function returnTry(db: D1Database, id: string): Promise<void> {
  await db.prepare('DELETE FROM code_tries WHERE id = ?1').bind(id).run();
}

const keyOf = (challengeId: string) => `code:${challengeId}`;

/**
 * Stores a sealed code for `life` seconds. Nobody has read this KV key before, so no location has cached its absence.
 */
export async function putSignInCode(
  kv: KVNamespace,
  challengeId: string,
  sealed: string,
  life: number,
): Promise<void> {
  await kv.put(keyOf(challengeId), sealed, { expirationTtl: life });
}

/** The sealed code of a challenge; null if KV does not have it, or fails. */
export function findSignInCode(kv: KVNamespace, challengeId: string): Promise<string | null> {
  return kv.get(keyOf(challengeId)).catch(() => null);
}

/** A correct code, and the session to open for it. */
export interface SignIn {
  readonly challengeId: string;
  readonly tryId: string;
  readonly email: string;
  /** The mailbox to which the session was issued: the one with the name, or a fresh one. */
  readonly mailboxId: string;
  /** HMAC of the mailbox's canonical address. */
  readonly mailboxName: string;
  readonly sessionHash: string;
  readonly sessionExpiresAt: number;
  /** The session of the request, if any, which the new one replaces. */
  readonly replacedSessionHash: string | null;
}

export type SignInResult =
  | { readonly kind: 'signed-in'; readonly userId: string; readonly epoch: number }
  /** The code was used or has expired meanwhile. */
  | { readonly kind: 'too-late' }
  /** The mailbox was created meanwhile, with this id; nothing was changed. */
  | { readonly kind: 'other-mailbox'; readonly mailboxId: string };

const sessionRow = z.object({ user_id: z.string(), epoch: z.number() });
const mailboxRow = z.object({ mailbox_id: z.string() });

/**
 * Consumes a code: ends its challenge, creates the user if new, and opens the session. One transaction, whose later
 * statements check the mark set by the first one, so only one of several parallel calls with the same code succeeds.
 */
export async function completeSignIn(
  db: D1Database,
  signIn: SignIn,
  now: number,
): Promise<SignInResult> {
  const { challengeId, tryId, email, mailboxId, mailboxName } = signIn;
  const { sessionHash, sessionExpiresAt, replacedSessionHash } = signIn;
  const isMine = 'EXISTS (SELECT 1 FROM challenges WHERE id = ?1 AND consumed_by = ?2)';
  const known = mailboxOf('?1', '?3');
  const otherMailbox = `SELECT ${known} AS mailbox_id WHERE ${known} != ?2`;
  const results = await db.batch([
    db.prepare(otherMailbox).bind(email, mailboxId, mailboxName),
    db
      .prepare(
        `UPDATE challenges SET ended_at = ?6, consumed_by = ?5, code = NULL
         WHERE id = ?4 AND ended_at IS NULL AND expires_at > ?6 AND NOT EXISTS (${otherMailbox})`,
      )
      .bind(email, mailboxId, mailboxName, challengeId, tryId, now),
    db
      .prepare(`INSERT OR IGNORE INTO mailboxes (id, name) SELECT ?3, ?4 WHERE ${isMine}`)
      .bind(challengeId, tryId, mailboxId, mailboxName),
    // A mailbox that was created by an operator's command has no name yet.
    db
      .prepare(
        `UPDATE OR IGNORE mailboxes SET name = ?4 WHERE id = ?3 AND name IS NULL AND ${isMine}`,
      )
      .bind(challengeId, tryId, mailboxId, mailboxName),
    db
      .prepare(
        `INSERT INTO users (id, mailbox_id, email, epoch, created_at)
         SELECT ?3, ?4, ?5, ?6, ?6 WHERE ${isMine}
         ON CONFLICT (email) DO NOTHING`,
      )
      .bind(challengeId, tryId, newId('usr'), mailboxId, email, now),
    db
      .prepare(`DELETE FROM sessions WHERE hash = ?3 AND ${isMine}`)
      .bind(challengeId, tryId, replacedSessionHash),
    // A correct code is not a failure, even if another call used it first.
    db
      .prepare(`DELETE FROM code_tries WHERE id = ?4 AND NOT EXISTS (${otherMailbox})`)
      .bind(email, mailboxId, mailboxName, tryId),
    db
      .prepare(
        `INSERT INTO sessions (hash, user_id, created_at, expires_at)
         SELECT ?3, id, ?4, ?5 FROM users WHERE email = ?6 AND ${isMine}
         RETURNING user_id, (SELECT epoch FROM users WHERE users.id = user_id) AS epoch`,
      )
      .bind(challengeId, tryId, sessionHash, now, sessionExpiresAt, email),
  ]);
  const [found] = results[0]?.results ?? [];
  if (found) return { kind: 'other-mailbox', mailboxId: mailboxRow.parse(found).mailbox_id };
  const [row] = results.at(-1)?.results ?? [];
  if (!row) return { kind: 'too-late' };
  const { user_id: userId, epoch } = sessionRow.parse(row);
  return { kind: 'signed-in', userId, epoch };
}
