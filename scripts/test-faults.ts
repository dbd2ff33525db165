/**
 * `npm run test:faults [-- --rounds n --seed n]`: tests the service with parts of it broken, and with kills at
 * arbitrary moments, repeatedly. It repeats at length what `npm run test:slow` does a few times, and ends with a verdict.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { killRounds } from '../test/slow/faults/kill-rounds.ts';
import { wholeNumber } from './local/options.ts';
import { root } from './local/root.ts';
import { ensureDevVars } from './local/secrets.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
  },
});

const rounds = wholeNumber('rounds', values.rounds, 1);
const seed = wholeNumber('seed', values.seed);

/** Tests of failing parts: database and KV, meters, the mail provider, Stripe. */
const partsThatFail = [
  'test/slow/faults/database-outages.test.ts',
  'test/slow/faults/kv-outages.test.ts',
  'test/slow/faults/meters.test.ts',
  'test/slow/faults/payment-outages.test.ts',
  'test/api/broken-database.test.ts',
  'test/api/mail-failures.test.ts',
  'test/api/payments-checkout-failures.test.ts',
];

ensureDevVars();
console.log('— Parts that fail');
const vitest = join(root, 'node_modules/.bin/vitest');
const tests = spawnSync(vitest, ['run', ...partsThatFail], { cwd: root, stdio: 'inherit' });

console.log(`— Kills, seed ${seed}`);
const { kills, answers, lost, complaints } = await killRounds({ rounds, seed, say: console.log });

const withParts = tests.status === 0 ? 'it says so and goes on' : 'not all is as it should be';
console.log(`\nWith parts of it failing: ${withParts}`);
for (const complaint of complaints) console.log(complaint);
const verdict =
  complaints.length === 0
    ? 'every account reconciles'
    : `${complaints.length} things do not reconcile`;
console.log(
  `${kills} kills, ${answers.toLocaleString('en')} answers, ${lost} lost with the service: ${verdict}`,
);
process.exit(tests.status === 0 && complaints.length === 0 ? 0 : 1);
