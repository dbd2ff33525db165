import { expect, test } from 'vitest';
import { durationText, isLong, Pace } from '../../../../../src/cabinet/browser/workbench/pace.ts';

/** A pace, and the time of its clock, in milliseconds. */
function paceAt(): { pace: Pace; time: { now: number } } {
  const time = { now: 0 };
  return { pace: new Pace(() => time.now), time };
}

test('work that takes twice as long as predicted makes what comes next slower, step by step', () => {
  const { pace, time } = paceAt();
  expect(pace.secondsFor(7000)).toBe(7);
  for (let i = 0; i < 8; i += 1) {
    const { progress, end } = pace.begin(5000);
    progress(0);
    time.now += 10_000;
    progress(1);
    end();
  }
  expect(pace.secondsFor(7000)).toBeCloseTo(14, 0);
});

test('what waits for a thread is no slower for that', () => {
  const { pace, time } = paceAt();
  for (let i = 0; i < 8; i += 1) {
    const { progress, end } = pace.begin(5000);
    time.now += 60_000;
    progress(0.2);
    time.now += 4000;
    end();
  }
  expect(pace.secondsFor(7000)).toBeCloseTo(7, 5);
});

test('short work, and work of which little was seen, says nothing', () => {
  const { pace, time } = paceAt();
  const short = pace.begin(900);
  short.progress(0);
  time.now += 9000;
  short.end();
  const late = pace.begin(5000);
  time.now += 9000;
  late.progress(0.9);
  time.now += 9000;
  late.end();
  const unseen = pace.begin(5000);
  time.now += 9000;
  unseen.end();
  expect(pace.secondsFor(7000)).toBe(7);
});

test('what takes long is told in words as exact as a prediction', () => {
  expect([20, 21].map(isLong)).toEqual([false, true]);
  expect([21, 60, 100, 200].map(durationText)).toEqual([
    'about half a minute',
    'about a minute',
    'about 2 minutes',
    'about 3 minutes',
  ]);
});
