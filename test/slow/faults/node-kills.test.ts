import { expect, it } from 'vitest';
import { killRounds, leastAnswers } from './kill-rounds.ts';

it('nothing that was answered is lost or charged twice when the server is killed twenty times under load', async () => {
  const lines: string[] = [];
  const rounds = 20;
  const report = await killRounds({ rounds, seed: 11, say: (line) => lines.push(line) });
  expect(report.complaints).toEqual([]);
  expect(report.answers, lines.join('\n')).toBeGreaterThanOrEqual(rounds * leastAnswers);
  expect(report.lost).toBeGreaterThan(0);
}, 1_200_000);
