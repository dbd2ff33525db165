import { expect, it } from 'vitest';
import { Alarm } from '../../../src/meter/alarm.ts';

it('platforms are given whole milliseconds, never before the time', async () => {
  const times: number[] = [];
  const storage = {
    getAlarm: async () => null,
    setAlarm: async (at: number) => void times.push(at),
  };
  await new Alarm(storage).ensureAny(1000.25);
  await new Alarm(storage).ensureBy(2000.75);
  await new Alarm(storage).set(3000);
  expect(times).toEqual([1001, 2001, 3000]);
});

it('an alarm that was set to a fraction of a millisecond is not set again for the same time', async () => {
  const times: number[] = [];
  const alarm = new Alarm({
    getAlarm: async () => times.at(-1) ?? null,
    setAlarm: async (at) => void times.push(at),
  });
  for (let i = 0; i < 3; i += 1) await alarm.ensureBy(1000.25);
  expect(times).toEqual([1001]);
});
