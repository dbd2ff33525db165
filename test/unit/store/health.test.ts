import { afterEach, expect, it, vi } from 'vitest';
import { failingParts } from '../../../src/store/health.ts';

afterEach(() => vi.useRealTimers());

const never = new Promise<never>(() => {});

type Answer = () => Promise<unknown>;
const answers: Answer = async () => null;
const refuses: Answer = async () => {
  throw new Error('no');
};

function parts(database: Answer, kv: Answer): Pick<Env, 'DB' | 'KV'> {
  const DB = { prepare: () => ({ run: database }) };
  return { DB, KV: { get: kv } } as unknown as Pick<Env, 'DB' | 'KV'>;
}

it('no part is failing while both answer', async () => {
  expect(await failingParts(parts(answers, answers))).toEqual([]);
});

it.each([
  ['database', parts(refuses, answers)],
  ['kv', parts(answers, refuses)],
])('the %s is failing that refuses', async (part, env) => {
  expect(await failingParts(env)).toEqual([part]);
});

it('a part is failing that has not answered after five seconds', async () => {
  vi.useFakeTimers();
  const failing = failingParts(
    parts(
      () => never,
      () => never,
    ),
  );
  const settled = vi.fn();
  failing.then(settled);
  await vi.advanceTimersByTimeAsync(4999);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(await failing).toEqual(['database', 'kv']);
});
