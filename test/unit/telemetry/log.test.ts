import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { counted, takeNews } from '../../../src/telemetry/counts.ts';
import { faults } from '../../../src/telemetry/faults.ts';
import { logFault } from '../../../src/telemetry/log.ts';

const src = join(import.meta.dirname, '../../../src');

beforeEach(() => {
  takeNews();
  vi.spyOn(console, 'error').mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('a fault', () => {
  it('is logged as one object, and counted', () => {
    logFault('email_not_sent', { request_id: 'r', reason: 'timeout' });
    const record = { event: 'email_not_sent', request_id: 'r', reason: 'timeout' };
    expect(vi.mocked(console.error).mock.calls).toEqual([[record]]);
    expect(counted()).toEqual({ 'fewerbytes_faults_total{event="email_not_sent"}': 1 });
  });

  it('has the members of the table, and no others', () => {
    // @ts-expect-error: lacks why
    logFault('email_not_sent', { request_id: 'r' });
    // @ts-expect-error: may have what a client has sent
    logFault('mail_limit_reached', { request_id: 'r', email: 'a@b.example' });
    // @ts-expect-error: is not in the table
    logFault('unheard_of', {});
    logFault('not_booked', { reservation_id: 'res_1', error: undefined });
    expect(console.error).toHaveBeenCalledTimes(4);
  });

  it.each(Object.entries(faults))('%s is explained in whole sentences', (event, { meaning }) => {
    expect(event).toMatch(/^[a-z]+(_[a-z]+)+$/);
    expect(meaning).toMatch(/^.{20,200}\.$/);
  });
});

it('each object that is logged as an error is a fault', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: src });
  const logging = files.filter((file) =>
    /\bconsole\.(?:warn|error)\(\s*\{/.test(readFileSync(join(src, file), 'utf8')),
  );
  expect(logging).toEqual(['telemetry/log.ts']);
});

it('nothing else is logged than faults, requests, attempts to make results, and lines for people', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: src, exclude: ['cabinet/**', 'image/**'] });
  const logging = files.filter((file) =>
    /\bconsole\.(?:log|info|warn|error|debug)\(/.test(readFileSync(join(src, file), 'utf8')),
  );
  expect(logging.sort()).toEqual([
    'node/commands.ts',
    'node/main.ts',
    'node/rotation.ts',
    'node/run.ts',
    'routes/delivery/deliver.ts',
    'routes/http/request-log.ts',
    'telemetry/log.ts',
  ]);
});
