import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../../../src/cabinet/browser/api/failure.ts';
import {
  addressError,
  requestFailure,
} from '../../../../../src/cabinet/browser/sign-in/code-request.ts';

function failure(code: string, retryAfter: number | null = null): Failure {
  return { code, message: `${code}.`, fields: {}, retryAfter, requestId: null };
}

describe('a code that could not be asked for', () => {
  it.each(['invalid_email', 'email_domain_not_allowed', 'email_undeliverable'])(
    'for the address itself is said at its field: %s',
    (code) => {
      expect(addressError(failure(code))).toBe(`${code}.`);
      expect(requestFailure(failure(code))).toBeNull();
    },
  );

  it.each(['offline', 'email_not_sent', 'internal_error'])(
    'for another reason is said as it is: %s',
    (code) => {
      expect(addressError(failure(code))).toBeUndefined();
      expect(requestFailure(failure(code))).toEqual(failure(code));
    },
  );

  it('because of too many requests says when it can be', () => {
    expect(requestFailure(failure('too_many_requests', 43))?.message).toBe(
      'No code can be sent right now. Try again in 43 seconds.',
    );
    expect(requestFailure(failure('too_many_requests', 2400))?.message).toContain('in 40 minutes');
    expect(requestFailure(failure('too_many_requests'))?.message).toContain('later');
  });

  it('is nothing before it is tried', () => {
    expect(addressError(null)).toBeUndefined();
    expect(requestFailure(null)).toBeNull();
  });
});
