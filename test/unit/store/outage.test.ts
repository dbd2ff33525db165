import { describe, expect, it } from 'vitest';
import { isOutage } from '../../../src/store/database.ts';

describe('an outage', () => {
  it.each([
    'Network connection lost.',
    'D1_ERROR: Network connection lost.',
    'D1_ERROR: D1 DB is overloaded. Requests queued for too long.',
    'D1_ERROR: D1 DB reset because its code was updated.',
    'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.',
    'D1_ERROR: Internal error in D1 DB storage caused object to be reset.',
    'D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.',
    'D1_ERROR: D1 DB is overloaded. Too many requests queued.',
    'D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.',
    'D1_ERROR: internal error; reference = 0123456789abcdef',
    'D1_ERROR: database is locked: SQLITE_BUSY',
    'D1_ERROR: disk I/O error: SQLITE_IOERR',
    'D1_ERROR: database or disk is full: SQLITE_FULL',
    'KV PUT failed: 503 attempt to write a readonly database: SQLITE_READONLY',
    'put: ENOSPC: no space left on device, write (10043)',
    'KV GET failed: 500 Internal Server Error',
    'KV PUT failed: 429 Too Many Requests',
    'KV DELETE failed: 503 Service Unavailable',
  ])('is what "%s" tells of', (message) => {
    expect(isOutage(new Error(message))).toBe(true);
  });

  it.each([
    'D1_ERROR: no such table: users: SQLITE_ERROR',
    'D1_ERROR: near "SELEC": syntax error at offset 0: SQLITE_ERROR',
    'D1_ERROR: CHECK constraint failed: paid_files >= 0: SQLITE_CONSTRAINT',
    'D1_ERROR: Exceeded maximum DB size',
    "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
    'D1_ERROR: D1 DB exceeded its CPU time limit and was reset.',
    'D1_ERROR: something else caused object to be reset.',
    "D1_TYPE_ERROR: Type 'undefined' not supported for value 'undefined'",
    'KV PUT failed: 400 Invalid expiration_ttl of 1',
    'KV GET failed: 414 UTF-8 encoded length of 513 exceeds key length limit of 512.',
    'internal error; reference = 0123456789abcdef',
    '',
  ])('is not what "%s" tells of', (message) => {
    expect(isOutage(new Error(message))).toBe(false);
  });

  it('is told of by errors alone', () => {
    expect(isOutage('Network connection lost.')).toBe(false);
    expect(isOutage(null)).toBe(false);
  });
});
