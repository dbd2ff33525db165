import { expect, it } from 'vitest';
import { logAsLines } from '../../../src/node/terminal.ts';

it('objects are logged as one line of JSON each, and texts as they are', () => {
  const printed: unknown[][] = [];
  const print = (...values: unknown[]) => printed.push(values);
  const target = { log: print, info: print, warn: print, error: print };
  logAsLines(target);
  target.error({ event: 'disk_full', error: 'first\nsecond' });
  target.log({ event: 'request', status: 200, nothing: undefined });
  target.warn('For people:', 7);
  const [fault, request, text] = printed;
  expect(fault).toEqual([expect.stringMatching(/^\{"time":"[^\n]*"first\\nsecond"\}$/)]);
  expect(JSON.parse(String(request?.[0]))).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    level: 'info',
    event: 'request',
    status: 200,
  });
  expect(JSON.parse(String(fault?.[0]))).toMatchObject({ level: 'error', event: 'disk_full' });
  expect(text).toEqual(['For people:', 7]);
});
