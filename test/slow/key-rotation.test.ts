import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { withBindings } from '../../scripts/local/database.ts';
import { freePort } from '../../scripts/local/free-port.ts';
import { wranglerDatabase } from '../../scripts/local/remote-database.ts';
import { root } from '../../scripts/local/root.ts';
import { type LocalService, startService } from '../../scripts/local/service.ts';
import { makeApiKeyMaterial } from '../../src/access/api-key.ts';
import { newMailboxId } from '../../src/access/mailbox.ts';
import { rotateKeys } from '../../src/node/rotation.ts';
import { boundTransaction } from '../../src/store/database.ts';
import { Client, createKey, keyOf, listKeys, recordIn } from '../support/client.ts';
import { secretsOf, tokenSecrets } from '../support/tokens.ts';

const pair = (version: number, byte = version) =>
  `${version}:${Buffer.alloc(32, byte).toString('base64')}`;

let stateDirectory: string;
let service: LocalService | undefined;
beforeAll(async () => {
  stateDirectory = await mkdtemp(join(tmpdir(), 'fewerbytes-rotation-'));
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
});
afterAll(() => rm(stateDirectory, { recursive: true, force: true, maxRetries: 5 }));

/** The service on the same data, with other secrets. */
async function serviceWith(keySecrets: string): Promise<string> {
  await service?.stop();
  const port = await freePort();
  const vars = { KEY_SECRETS: keySecrets };
  service = await startService({ port, stateDirectory, vars });
  return service.origin;
}

interface Run {
  readonly status: number;
  readonly output: string;
}

/** Runs the command as users do. */
function rotateLocally(keySecrets: string): Promise<Run> {
  const env = { ...process.env, STATE_DIR: stateDirectory, KEY_SECRETS: keySecrets };
  return new Promise((ended) => {
    const args = [join(root, 'scripts/rotate-keys.ts')];
    execFile(process.execPath, args, { cwd: root, env }, (error, stdout, stderr) => {
      ended({ status: error ? Number(error.code) : 0, output: stdout + stderr });
    });
  });
}

/** Adds keys of any user to the database, sealed under these secrets. */
async function addKeys(db: D1Database, sealedUnder: string, ids: readonly string[]): Promise<void> {
  const secrets = { tokenSecrets: secretsOf(tokenSecrets), keySecrets: secretsOf(sealedUnder) };
  const made = await Promise.all(ids.map((id) => makeApiKeyMaterial(id, newMailboxId(), secrets)));
  await db.batch(
    made.map(({ material: { id, hash, prefix, secret } }) =>
      db
        .prepare(
          `INSERT INTO api_keys (id, user_id, hash, prefix, secret, name, created_at)
           SELECT ?1, id, ?2, ?3, ?4, 'many', 1 FROM users LIMIT 1`,
        )
        .bind(id, hash, prefix, secret),
    ),
  );
}

/** A site whose secret is being replaced. */
async function siteWithTwoSecrets(client: Client): Promise<{ readonly id: string }> {
  const source = 'https://images.example/';
  const created = await client.post('/v1/sites', { name: 'a', slug: 'rotating', source });
  const { id } = (await created.json()) as { id: string };
  const rotated = await client.post(`/v1/sites/${id}/rotate-secret`, { overlap_hours: 1 });
  const site = (await rotated.json()) as { id: string; secrets: unknown[] };
  expect(site.secrets).toHaveLength(2);
  return site;
}

/** Repeats the call while the concurrent command has the database locked. */
async function answered(call: () => Promise<Response>): Promise<Response> {
  const response = await call();
  if (response.status !== 503) return response;
  await pause(200);
  return answered(call);
}

async function quotaStatus(origin: string, key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}` };
  return (await fetch(`${origin}/v1/quota`, { headers })).status;
}

describe('rotating the secret that keys are sealed under', () => {
  it('keeps every key working and shown, whatever happens beside it, and frees the old secret', {
    timeout: 180_000,
  }, async () => {
    let origin = await serviceWith(pair(1));
    const client = new Client(origin);
    await client.signIn('rotating@gmail.com');
    const kept = [];
    for (let i = 0; i < 12; i += 1) kept.push(await createKey(client, { name: `key ${i}` }));
    const [toRevoke, toReissue] = [
      await createKey(client, { name: 'to revoke' }),
      await createKey(client, { name: 'to reissue' }),
    ];
    const site = await siteWithTwoSecrets(client);
    const leaving = new Client(origin);
    await leaving.signIn('leaving@gmail.com');
    const gone = await createKey(leaving, { name: 'gone' });

    origin = await serviceWith(`${pair(2)},${pair(1)}`);
    const [here, there] = [client, leaving].map((one) => one.at(origin));
    if (!here || !there) throw new Error('no clients');
    const early = await rotateLocally(`${pair(2)},${pair(1)}`);
    expect(early).toEqual({
      status: 1,
      output: expect.stringContaining('No key is sealed under version 2 of KEY_SECRETS yet'),
    });
    const mark = await createKey(here, { name: 'mark' });
    await recordIn(await here.post(`/v1/keys/${mark.id}/revoke`), 200);
    const mistyped = await rotateLocally(`${pair(2, 9)},${pair(1)}`);
    expect(mistyped).toEqual({
      status: 1,
      output: expect.stringContaining('Version 2 of KEY_SECRETS is not the secret'),
    });
    const [run, again, , reissued] = await Promise.all([
      rotateLocally(`${pair(2)},${pair(1)}`),
      rotateLocally(`${pair(2)},${pair(1)}`),
      answered(() => here.post(`/v1/keys/${toRevoke.id}/revoke`)),
      pause(300).then(async () => {
        const response = await answered(() => here.post(`/v1/keys/${toReissue.id}/reissue`));
        return recordIn(response, 201);
      }),
      pause(600).then(() =>
        answered(() => there.delete('/v1/me', { confirm: 'leaving@gmail.com' })),
      ),
    ]);
    expect([run.status, again.status], run.output + again.output).toEqual([0, 0]);
    const resealed = [run, again].map(({ output }) =>
      Number(/under version 2: (\d+)\./.exec(output)?.[1]),
    );
    const sum = resealed.reduce((a, b) => a + b);
    expect(sum).toBeGreaterThanOrEqual(16);
    expect(sum).toBeLessThanOrEqual(17);
    expect(run.output).toContain('All secrets but version 2 may be removed from KEY_SECRETS.');
    expect(run.output + again.output).not.toMatch(/fewer_|[0-9A-Za-z+/]{43}=/);

    const third = await rotateLocally(`${pair(2)},${pair(1)}`);
    expect(third.output).toContain('Sealed anew under version 2: 0.');

    origin = await serviceWith(pair(2));
    const after = client.at(origin);
    expect(await (await after.get('/v1/sites')).json()).toEqual({ items: [site] });
    const records = await listKeys(after);
    for (const record of [...kept, toReissue, toRevoke, reissued]) {
      const now = records.find(({ id }) => id === record.id);
      expect(now).toMatchObject({ has_secret: true, key: keyOf(record) });
      expect(now?.status).toBe(record === toRevoke || record === toReissue ? 'revoked' : 'active');
      const status = now?.status === 'active' ? 200 : 401;
      expect(await quotaStatus(origin, keyOf(record))).toBe(status);
    }
    const published = await withBindings(stateDirectory, ({ KV }) => KV.get('site:rotating'));
    expect(published?.match(/"\d+\.[^"]+/g)?.map((sealed) => sealed.slice(1, 3))).toEqual([
      ...['2.', '2.'],
    ]);
    const [erased] = await withBindings(stateDirectory, async ({ DB }) => {
      const { results } = await DB.prepare('SELECT secret, status FROM api_keys WHERE id = ?1')
        .bind(gone.id)
        .all();
      return results;
    });
    expect(erased).toEqual({ secret: null, status: 'revoked' });
    expect(await quotaStatus(origin, keyOf(gone))).toBe(401);
    expect((await after.delete(`/v1/sites/${site.id}`, {})).status).toBe(200);
  });

  it('leaves alone what it cannot open, says so, and fails', { timeout: 180_000 }, async () => {
    const origin = await serviceWith(pair(3));
    const client = new Client(origin);
    await client.signIn('unknown@gmail.com');
    const { id } = await createKey(client, { name: 'sealed under 3' });
    const sealed = () =>
      withBindings(stateDirectory, ({ DB }) =>
        DB.prepare('SELECT secret FROM api_keys WHERE id = ?1').bind(id).first(),
      );
    const before = await sealed();
    for (const secrets of [pair(2), `${pair(2)},${pair(3, 9)}`]) {
      const { status, output } = await rotateLocally(secrets);
      expect(status).toBe(1);
      expect(output).toContain('Under version 3: 1.');
      expect(output).toContain('None of these secrets opens 1 of them');
    }
    expect(await sealed()).toEqual(before);
  });

  it('refuses a newest secret that is not the one of the service, and a malformed one', {
    timeout: 180_000,
  }, async () => {
    const wrong = await rotateLocally(`${pair(2, 9)},${pair(3)}`);
    expect(wrong).toEqual({
      status: 1,
      output: expect.stringContaining('Version 2 of KEY_SECRETS is not the secret'),
    });
    const malformed = await rotateLocally('2:not-a-secret');
    expect(malformed.status).toBe(1);
    expect(malformed.output).not.toContain('not-a-secret');
  });

  it('takes the secrets of a deployment from the standard input, and shows them to nobody', async () => {
    const home = join(stateDirectory, 'home');
    const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, CLOUDFLARE_API_TOKEN: '' };
    const args = [join(root, 'scripts/rotate-keys.ts'), '--remote'];
    for (const [input, complaint] of [
      ['2:not-a-secret\n', 'KEY_SECRETS should be'],
      [`${pair(2)},${pair(1)}\n`, 'wrangler could not do it'],
    ] as const) {
      const { status, stdout, stderr } = spawnSync(process.execPath, args, {
        ...{ cwd: root, env, input, encoding: 'utf8' },
      });
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toContain(complaint);
      for (const secret of ['not-a-secret', pair(1), pair(2)]) expect(stderr).not.toContain(secret);
    }
  });

  it('goes through wrangler the same way, as it has to on a deployment', {
    timeout: 180_000,
  }, async () => {
    const database = wranglerDatabase('--local', '--persist-to', stateDirectory);
    const secrets = secretsOf(`${pair(4)},${pair(3)},${pair(2)}`);
    await expect(rotateKeys(database, secrets)).rejects.toThrow('make a key in the dashboard');
    await withBindings(stateDirectory, ({ DB }) => addKeys(DB, pair(4), ['key_mark4']));
    const { resealed, unreadable, byVersion } = await rotateKeys(database, secrets);
    expect({ resealed, unreadable }).toEqual({ resealed: 17, unreadable: 0 });
    expect([...byVersion]).toEqual([['4', 18]]);
    const again = await withBindings(stateDirectory, ({ DB }) =>
      rotateKeys(boundTransaction(DB), secrets),
    );
    expect(again).toEqual({ resealed: 0, unreadable: 0, byVersion });
  });

  it('goes through any number of keys', { timeout: 180_000 }, async () => {
    const secrets = secretsOf(`${pair(5)},${pair(4)}`);
    await withBindings(stateDirectory, async ({ DB }) => {
      const many = Array.from({ length: 250 }, (_, i) => `key_many${i}`);
      await addKeys(DB, pair(4), many);
      await addKeys(DB, pair(5), ['key_mark5']);
      const run = boundTransaction(DB);
      const two = await Promise.all([rotateKeys(run, secrets), rotateKeys(run, secrets)]);
      expect(two.map(({ resealed }) => resealed).reduce((a, b) => a + b)).toBe(268);
      expect([...(two[0]?.byVersion ?? [])]).toEqual([['5', 269]]);
    });
  });

  it('does not undo what happens to a key between being read and being written', async () => {
    const secrets = secretsOf(`${pair(6)},${pair(5)}`);
    await withBindings(stateDirectory, async ({ DB }) => {
      await addKeys(DB, pair(6), ['key_mark6']);
      const bound = boundTransaction(DB);
      // Keys of the first batch, so that they have already been read.
      const between = [
        `UPDATE api_keys SET secret = NULL WHERE id = 'key_many0'`,
        `UPDATE api_keys SET status = 'revoked', revoked_at = 1 WHERE id = 'key_many1'`,
        `DELETE FROM api_keys WHERE id = 'key_many10'`,
      ];
      const { resealed, byVersion } = await rotateKeys(async (statements) => {
        const isWrite = statements.some(({ sql }) => sql.startsWith('UPDATE'));
        if (isWrite) await DB.batch(between.map((sql) => DB.prepare(sql)));
        return bound(statements);
      }, secrets);
      expect(resealed).toBe(267);
      expect([...byVersion]).toEqual([['6', 268]]);
      const { results } = await DB.prepare(
        `SELECT id, status, secret IS NOT NULL AS kept FROM api_keys
         WHERE id IN ('key_many0', 'key_many1', 'key_many10') ORDER BY id`,
      ).all();
      expect(results).toEqual([
        { id: 'key_many0', status: 'active', kept: 0 },
        { id: 'key_many1', status: 'revoked', kept: 1 },
      ]);
    });
  }, 180_000);

  it('needs no key to compare with where the secrets are the service’s own', async () => {
    const secrets = secretsOf(`${pair(7)},${pair(6)}`);
    await withBindings(stateDirectory, async ({ DB }) => {
      const { resealed, byVersion } = await rotateKeys(boundTransaction(DB), secrets, true);
      expect(resealed).toBe(268);
      expect([...byVersion]).toEqual([['7', 268]]);
    });
  }, 180_000);
});
