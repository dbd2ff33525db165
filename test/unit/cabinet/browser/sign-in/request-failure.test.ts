import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../../../src/cabinet/browser/api/failure.ts';
import {
  addressComplaint,
  requestFailure,
} from '../../../../../src/cabinet/browser/sign-in/code-request.ts';

function failure(code: string, retryAfter: number | null = null): Failure {
  return { code, message: `${code}.`, fields: {}, retryAfter, requestId: null };
}

describe('a code that could not be asked for', () => {
  it.each(['invalid_email', 'email_domain_not_allowed', 'email_undeliverable'])(
    'for the address itself is said at its field: %s',
    (code) => {
      expect(addressComplaint(failure(code))?.startsWith(`${code}.`)).toBe(true);
      expect(requestFailure(failure(code))).toBeNull();
    },
  );

  it('because of its domain hints at which would do', () => {
    expect(addressComplaint(failure('email_domain_not_allowed'))).toBe(
      'email_domain_not_allowed. A personal one at a large mail provider will usually do.',
    );
    expect(addressComplaint(failure('invalid_email'))).toBe('invalid_email.');
  });

  it.each(['offline', 'email_not_sent', 'internal_error'])(
    'for another reason is said as it is: %s',
    (code) => {
      expect(addressComplaint(failure(code))).toBeUndefined();
      expect(requestFailure(failure(code))).toEqual(failure(code));
    },
  );

  it('because of too many requests says when it can be', () => {
    expect(requestFailure(failure('too_many_requests', 43))?.message).toBe(
      'A code was sent a short while ago. Try again in 43 seconds.',
    );
    expect(requestFailure(failure('too_many_requests', 2400))?.message).toContain('in 40 minutes');
    expect(requestFailure(failure('too_many_requests'))?.message).toContain('later');
  });

  it('is nothing before it is tried', () => {
    expect(addressComplaint(null)).toBeUndefined();
    expect(requestFailure(null)).toBeNull();
  });
});
