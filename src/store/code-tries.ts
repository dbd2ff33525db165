import { z } from 'zod';
import type { CodePolicy } from '../policy/throttle.ts';
import { live } from './challenges.ts';

/** Someone has entered a code for an address. */
export interface CodeTry {
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
 * Takes one of the tries that are left and says which challenge to compare with;
 * null: none, for whatever reason. Counted before the comparison, as a failure,
 * so that parallel requests cannot get past the budgets. A row is written in
 * any case: the time that takes would tell whether there was a challenge.
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

/** Makes a try as if it had not been: it could not be judged. */
export async function returnTry(db: D1Database, id: string): Promise<void> {
  await db.prepare('DELETE FROM code_tries WHERE id = ?1').bind(id).run();
}
