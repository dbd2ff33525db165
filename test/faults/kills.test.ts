import { expect, it } from 'vitest';
import { killRounds } from './kill-rounds.ts';

it('nothing that was answered is lost or charged twice when the service, or its runtime, is killed at work', async () => {
  const lines: string[] = [];
  const report = await killRounds({ rounds: 2, seed: 5, say: (line) => lines.push(line) });
  expect(report.complaints).toEqual([]);
  expect(report.answers, lines.join('\n')).toBeGreaterThan(50);
  expect(report.lost).toBeGreaterThan(0);
}, 120_000);
