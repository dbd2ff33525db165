import { Client } from '../../test/support/client.ts';
import { codeIn, Inbox } from '../../test/support/inbox.ts';
import type { Latencies } from './latencies.ts';

/** The whole way in, by one new person after the other; what the mailbox takes is not counted. */
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
