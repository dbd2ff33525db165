import { afterEach, expect, it, vi } from 'vitest';
import { healthCheck, newestMigration } from '../../../src/store/health.ts';
import { fakeTime } from '../../support/time.ts';

fakeTime();

/** What a request does after its answer. */
const afterwards = vi.fn();
afterEach(() => afterwards.mockClear());

const never = new Promise<never>(() => {});

type Answer = () => Promise<unknown>;
const answers: Answer = async () => null;
const migrated: Answer = async () => [{ results: [] }, { results: [{ 1: 1 }] }];
const refuses: Answer = async () => {
  throw new Error('no');
};

function parts(database: Answer, kv: Answer): Pick<Env, 'DB' | 'KV'> {
  const statement = { bind: () => statement };
  const DB = { prepare: () => statement, batch: database };
  return { DB, KV: { get: kv } } as unknown as Pick<Env, 'DB' | 'KV'>;
}

it('no part is failing while both answer', async () => {
  expect(await healthCheck()(parts(migrated, answers), afterwards)).toEqual([]);
});

it.each([
  ['database', parts(refuses, answers)],
  ['kv', parts(migrated, refuses)],
])('the %s is failing that refuses', async (part, env) => {
  expect(await healthCheck()(env, afterwards)).toEqual([part]);
});

it('the database is failing that has not had the newest migration', async () => {
  const binds = vi.fn();
  const env = parts(async () => [{ results: [] }, { results: [] }], answers);
  const prepare = (sql: string) => ({ bind: (...values: unknown[]) => binds(sql, ...values) });
  Object.assign(env.DB, { prepare });
  expect(await healthCheck()(env, afterwards)).toEqual(['database']);
  expect(binds.mock.calls).toEqual([[expect.stringContaining('d1_migrations'), newestMigration]]);
});

it('a part is failing that has not answered after five seconds', async () => {
  const failing = healthCheck()(
    parts(
      () => never,
      () => never,
    ),
    afterwards,
  );
  const settled = vi.fn();
  failing.then(settled);
  await vi.advanceTimersByTimeAsync(4999);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(await failing).toEqual(['database', 'kv']);
});

it('the parts are asked once in two seconds at most, however many ask at once', async () => {
  const database = vi.fn(
    () => new Promise((settled) => setTimeout(() => settled(migrated()), 1000)),
  );
  const env = parts(database, answers);
  const check = healthCheck();
  const all = Promise.all(Array.from({ length: 50 }, () => check(env, afterwards)));
  await vi.advanceTimersByTimeAsync(1100);
  expect(await all).toEqual(Array.from({ length: 50 }, () => []));
  expect(await check(env, afterwards)).toEqual([]);
  expect(database).toHaveBeenCalledTimes(1);

  database.mockImplementation(refuses);
  await vi.advanceTimersByTimeAsync(800);
  expect(await check(env, afterwards)).toEqual([]);
  expect(database).toHaveBeenCalledTimes(1);
  expect(afterwards).not.toHaveBeenCalled();
});

it('a result that will soon be too old is used while the parts are asked again', async () => {
  const database = vi.fn(migrated);
  const env = parts(database, answers);
  const check = healthCheck();
  await check(env, afterwards);
  database.mockImplementation(
    () => new Promise((_, reject) => setTimeout(() => reject(new Error('no')), 1000)),
  );
  await vi.advanceTimersByTimeAsync(2000);
  for (let i = 0; i < 3; i += 1) expect(await check(env, afterwards)).toEqual([]);
  expect(afterwards).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await check(env, afterwards)).toEqual(['database']);
  expect(database).toHaveBeenCalledTimes(2);
});

it('a result that is too old is not used, whether or not a newer one is on its way', async () => {
  const database = vi.fn(migrated);
  const env = parts(database, answers);
  const check = healthCheck();
  await check(env, afterwards);
  database.mockImplementation(() => never);
  await vi.advanceTimersByTimeAsync(4900);
  expect(await check(env, afterwards)).toEqual([]);
  await vi.advanceTimersByTimeAsync(100);
  const waiting = check(env, afterwards);
  await vi.advanceTimersByTimeAsync(4900);
  expect(await waiting).toEqual(['database']);
});

it('an outcome that never comes is not waited for longer than that', async () => {
  const check = healthCheck();
  const broken = parts(migrated, () => {
    throw new Error('this request is gone');
  });
  await expect(check(broken, afterwards)).rejects.toThrow('gone');
  const waiting = check(parts(migrated, answers), afterwards);
  await vi.advanceTimersByTimeAsync(5100);
  expect(await waiting).toEqual([]);
});
