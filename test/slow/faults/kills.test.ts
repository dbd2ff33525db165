import { expect, it } from 'vitest';
import { killRounds, leastAnswers } from './kill-rounds.ts';

it('nothing that was answered is lost or charged twice when the service, or its runtime, is killed at work', async () => {
  const lines: string[] = [];
  const rounds = 2;
  const report = await killRounds({ rounds, seed: 5, say: (line) => lines.push(line) });
  expect(report.complaints).toEqual([]);
  expect(report.answers, lines.join('\n')).toBeGreaterThanOrEqual(rounds * leastAnswers);
  expect(report.lost).toBeGreaterThan(0);
}, 300_000);
