import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withBindings } from '../../scripts/local/bindings.ts';
import { freePort } from '../../scripts/local/free-port.ts';
import { makeLocalKey } from '../../scripts/local/key.ts';
import { startService } from '../../scripts/local/service.ts';
import { killTree } from '../support/kill-tree.ts';
import { checkedFetch } from '../support/openapi-fetch.ts';
import { plainPicture } from '../support/pictures.ts';

const email = 'killed@example.com';
const parallel = 12;

let stateDirectory: string;
let photo: Buffer;
beforeAll(async () => {
  stateDirectory = await mkdtemp(join(tmpdir(), 'image-optimization-killed-'));
  photo = await plainPicture(500, 400).jpeg({ quality: 97 }).toBuffer();
});
afterAll(() => rm(stateDirectory, { recursive: true, force: true }));

interface Books {
  readonly charged: number;
  readonly files: number;
  readonly open: number;
}

async function books(): Promise<Books> {
  return withBindings(stateDirectory, async ({ DB }) => {
    const row = await DB.prepare(
      `SELECT u.free_used AS charged,
              (SELECT coalesce(sum(files), 0) FROM usage_days) AS files,
              (SELECT count(*) FROM reservations) AS open
       FROM users u WHERE email = ?1`,
    )
      .bind(email)
      .first<Books>();
    if (!row) throw new Error('no such user');
    return row;
  });
}

/** Keeps requests coming until the service is gone; how many answers arrived whole that cost a file. */
async function load(origin: string, key: string): Promise<number> {
  let received = 0;
  const worker = async () => {
    for (;;) {
      try {
        const response = await fetch(`${origin}/v1/optimize`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${key}` },
          body: Uint8Array.from(photo),
        });
        await response.arrayBuffer();
        if (response.headers.get('Image-Optimized') === 'true') received += 1;
      } catch {
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return received;
}

describe('a service that is killed in the middle of its work', () => {
  it('has charged for no more answers than have arrived, and for all but those in flight', async () => {
    const key = await withBindings(stateDirectory, (env) => makeLocalKey(env, email));
    let before: Books = { charged: 0, files: 0, open: 0 };
    for (const afterMilliseconds of [700, 1100]) {
      const port = await freePort();
      const service = await startService({ port, stateDirectory, verbose: false });
      const answers = load(service.origin, key);
      await pause(afterMilliseconds);
      killTree(service.pid);
      const received = await answers;
      const after = await books();
      const charged = after.charged - before.charged;
      expect(received, JSON.stringify({ received, charged, after })).toBeGreaterThan(0);
      expect(charged).toBeLessThanOrEqual(received);
      expect(received - charged).toBeLessThanOrEqual(parallel);
      expect(after.files - before.files).toBe(charged);
      before = after;
    }
  }, 60_000);

  it('counts the reservations that were lost until they expire, and not a moment longer', async () => {
    const { open } = await books();
    expect(open).toBeGreaterThan(0);
    const port = await freePort();
    const service = await startService({ port, stateDirectory, verbose: false });
    try {
      const key = await withBindings(stateDirectory, (env) => makeLocalKey(env, email));
      const remaining = async () => {
        const response = await checkedFetch(new URL('/v1/optimize', service.origin), {
          method: 'POST',
          headers: { Authorization: `Bearer ${key}` },
          body: Uint8Array.from(photo),
        });
        await response.arrayBuffer();
        return Number(response.headers.get('Quota-Remaining'));
      };
      const whileOpen = await remaining();
      await withBindings(stateDirectory, async ({ DB }) => {
        await DB.prepare('UPDATE reservations SET expires_at = ?1').bind(Date.now()).run();
      });
      expect(await remaining()).toBe(whileOpen + open - 1);
    } finally {
      await service.stop();
    }
  }, 60_000);
});
