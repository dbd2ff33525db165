import { setTimeout as pause } from 'node:timers/promises';
import type { Measured } from './load-generator.ts';

/** Number of concurrent uploads; together about five times what an isolate may hold for pictures. */
const uploads = 40;

/** Number of attempts after which an upload counts as failed. */
const maxTries = 60;

/** Kinds of request bodies: with a length, and as a stream without one. */
const bodyKinds = ['buffer', 'stream'] as const;
type BodyKind = (typeof bodyKinds)[number];

/**
 * Sends far more large uploads at the same time than fit. Each has to be answered 200, or 503 with `Retry-After`, after
 * which it is repeated; any other response is a failure.
 */
export async function pastCapacity(
  origin: string,
  keys: readonly string[],
  picture: Uint8Array<ArrayBuffer>,
): Promise<Measured> {
  const failures: string[] = [];
  const tries: number[] = [];
  const refusals: number[] = [];
  const began = performance.now();
  await Promise.all(
    Array.from({ length: uploads }, async (_, i) => {
      const bodyKind = bodyKinds[i % bodyKinds.length] ?? 'buffer';
      for (let sent = 1; sent <= maxTries; sent += 1) {
        const outcome = await upload(origin, keys[i % keys.length] ?? '', picture, bodyKind);
        if (outcome.kind === 'later') {
          refusals.push(outcome.seconds);
          await pause(outcome.seconds * 1000);
          continue;
        }
        if (outcome.kind === 'failed') failures.push(`a ${bodyKind}: ${outcome.reason}`);
        else tries.push(sent);
        return;
      }
      failures.push(`still refused after ${maxTries} tries`);
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const mebibytes = (picture.length / 2 ** 20).toFixed(0);
  const atOnce = tries.filter((sent) => sent === 1).length;
  return {
    table: {
      caption: `${uploads} uploads of ${mebibytes} MiB at once, half of them as streams, each repeated as 503 says`,
      columns: ['', 'uploads'],
      rows: [
        ['200 at once', String(atOnce)],
        ['200 after 503', String(tries.length - atOnce)],
        ['503 in all', String(refusals.length)],
        ['their Retry-After, s', [...new Set(refusals)].sort((a, b) => a - b).join(', ') || '–'],
        ['most tries', String(Math.max(0, ...tries))],
        ['anything else', String(failures.length)],
        ['seconds in all', seconds.toFixed(1)],
      ],
    },
    succeeded: tries.length,
    failures,
  };
}

type Outcome =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'later'; readonly seconds: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** Sends a picture once. */
export async function upload(
  origin: string,
  key: string,
  picture: Uint8Array<ArrayBuffer>,
  bodyKind: BodyKind,
  query = '',
): Promise<Outcome> {
  try {
    const response = await fetch(`${origin}/v1/optimize${query}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      ...(bodyKind === 'stream'
        ? { body: new Blob([picture]).stream(), duplex: 'half' as const }
        : { body: picture }),
    });
    const body = await response.arrayBuffer();
    if (response.status === 200) return { kind: 'succeeded' };
    const seconds = Number(response.headers.get('Retry-After'));
    if (response.status === 503 && seconds > 0) return { kind: 'later', seconds };
    const text = Buffer.from(body).toString().slice(0, 200);
    return { kind: 'failed', reason: `status ${response.status}: ${text}` };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return { kind: 'failed', reason: String(cause) };
  }
}
