import { makeLocalKey } from '../../scripts/local/database.ts';
import { contradictions } from '../../test/slow/faults/contradictions.ts';
import { Client, codeIn, Inbox } from '../../test/support/client.ts';
import type { RestartableService } from '../../test/support/restartable-service.ts';
import { eventually } from '../../test/support/time.ts';
import type { Latencies } from './load-generator.ts';

/** Measures complete sign-ins of new users, one after the other; the time for reading the mailbox does not count. */
export async function signIns(origin: string, seconds: number): Promise<Latencies[]> {
  const inbox = new Inbox(origin);
  const requests: number[] = [];
  const verifications: number[] = [];
  const failures: string[] = [];
  const end = performance.now() + seconds * 1000;
  for (let person = 0; performance.now() < end; person += 1) {
    const client = new Client(origin);
    const email = `visitor.${person}@gmail.com`;
    const requested = await timed(requests, () => client.post('/v1/auth/request-code', { email }));
    if (requested.status !== 200) {
      failures.push(`request-code: status ${requested.status}`);
      continue;
    }
    const code = codeIn(await inbox.latest(email));
    const verified = await timed(verifications, () => client.verify(email, code));
    if (verified.status !== 200) failures.push(`verify-code: status ${verified.status}`);
  }
  const alone = (times: readonly number[]) => times.reduce((sum, time) => sum + time, 0) / 1000;
  return [
    { what: 'POST /v1/auth/request-code', seconds: alone(requests), times: requests, failures },
    {
      what: 'POST /v1/auth/verify-code',
      seconds: alone(verifications),
      times: verifications,
      failures: [],
    },
  ];
}

async function timed(times: number[], call: () => Promise<Response>): Promise<Response> {
  const began = performance.now();
  const response = await call();
  await response.clone().arrayBuffer();
  times.push(performance.now() - began);
  return response;
}

/** Number of users; enough that none reaches a rate limit: each may send 3,000 images per minute. */
const count = 8;

/** Creates one key for each of several users. */
export function makeKeys(service: RestartableService): Promise<string[]> {
  return service.bindings(async (env) => {
    const keys: string[] = [];
    for (let i = 0; i < count; i += 1) {
      keys.push(await makeLocalKey(env, `customer.${i}@gmail.com`));
    }
    return keys;
  });
}

/**
 * Returns the inconsistencies in the accounts: pictures that were answered and not counted, or the other way round, or
 * figures that contradict each other.
 * @param answered pictures that were received completely
 * @param cut requests that may have been under way when a measurement was stopped
 */
export async function audit(
  service: RestartableService,
  answered: number,
  cut: number,
): Promise<string[]> {
  const { database } = service;
  const booked = () => Number(database.open((file) => file.prepare(filesBooked).get())?.n);
  // Usage is flushed within a minute.
  await eventually(async () => {
    if (service.reserved() > 0 || booked() < answered) throw new Error('bookings are open');
  }, 90_000);
  const complaints = database.open(contradictions);
  if (booked() < answered || booked() > answered + cut) {
    complaints.push(`${answered} pictures were answered, and ${booked()} were counted`);
  }
  return complaints;
}

const filesBooked = 'SELECT coalesce(sum(files), 0) AS n FROM usage_days';
