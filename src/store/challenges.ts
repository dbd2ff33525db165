import { z } from 'zod';
import type { CodePolicy, Limit } from '../policy/throttle.ts';

/** A request for a code. */
export interface NewChallenge {
  readonly id: string;
  /** Pseudonyms of the address and of the network that asks. */
  readonly address: string;
  readonly network: string;
  readonly now: number;
  readonly expiresAt: number;
}

export type ClaimResult =
  | { readonly kind: 'claimed'; readonly digits: number }
  | { readonly kind: 'too-many'; readonly retryAt: number };

// In the fragments below: ?1 address, ?2 network, ?3 now.

/** When the first of the last `events` requests that match leaves the window: then one more may come. */
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
 * Takes the one place that the limits leave for a code to this address. The
 * insert is the gate and counts what is there itself; the challenge is not
 * live before its mail has gone out.
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

/** That the code of a challenge can be used, its tries apart. */
export function live(now: string): string {
  return `sent_at IS NOT NULL AND ended_at IS NULL AND expires_at > ${now}`;
}

/**
 * Makes a challenge live, now that its mail is on its way. The one that it
 * replaces ends, and so do those of the address beyond what may be live: first
 * the oldest that the same network asked for, so that a stranger who keeps
 * asking ends his own.
 * @param replacedId the challenge of the cookie that came with the request, if any
 */
export async function openChallenge(
  db: D1Database,
  { id, replacedId, now }: { id: string; replacedId: string | null; now: number },
  { live: most }: CodePolicy,
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
      .bind(id, now, most),
  ]);
}

/** Undoes a claim whose mail did not go out: nothing of it counts. */
export async function withdrawChallenge(db: D1Database, id: string): Promise<void> {
  await db.prepare('DELETE FROM challenges WHERE id = ?1 AND sent_at IS NULL').bind(id).run();
}
