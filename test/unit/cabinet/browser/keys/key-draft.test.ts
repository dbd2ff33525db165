import { describe, expect, it } from 'vitest';
import {
  changedSettings,
  type Draft,
  draftErrors,
  draftOf,
  emptyDraft,
  expiresAt,
  newKeySettings,
  oneLine,
  serviceErrors,
  todayOf,
} from '../../../../../src/cabinet/browser/keys/key-draft.ts';

const now = Date.parse('2026-11-20T12:00:00.000Z');

/** A valid draft with the given changes. */
function draft(given: Partial<Draft> = {}): Draft {
  return { ...emptyDraft, name: 'shop', ...given };
}

describe('draftErrors', () => {
  it('are none for a name and nothing else', () => {
    expect(draftErrors(draft(), now)).toEqual({});
  });

  it('want a name that is more than spaces', () => {
    expect(draftErrors(draft({ name: '  ' }), now)).toEqual({ name: 'Give the key a name.' });
  });

  it('count characters as people do', () => {
    const cart = '🛒';
    expect(draftErrors(draft({ name: cart.repeat(100), comment: cart.repeat(500) }), now)).toEqual(
      {},
    );
    expect(draftErrors(draft({ name: cart.repeat(101), comment: 'x'.repeat(501) }), now)).toEqual({
      name: 'Too long: 101 characters. The limit is 100.',
      comment: 'Too long: 501 characters. The limit is 500.',
    });
  });

  it('do not count spaces around a name, which are dropped', () => {
    expect(draftErrors(draft({ name: ` ${'x'.repeat(100)} ` }), now)).toEqual({});
  });

  it.each(['1', '5000', '5,000', '5.000', '5 000', "5'000", '100,000,000', ' 12 '])(
    'take %s for a limit',
    (limit) => expect(draftErrors(draft({ limit }), now)).toEqual({}),
  );

  it.each(['0', '-3', '1.5', '1,5', '12,34', '1e3', '0x10', 'many', '100000001', '9'.repeat(400)])(
    'do not take %s for a limit',
    (limit) =>
      expect(draftErrors(draft({ limit }), now)).toEqual({
        monthly_limit: 'Enter a whole number from 1 to 100,000,000, or nothing.',
      }),
  );

  it('want a date that is not over', () => {
    const dated = (date: string) => draftErrors(draft({ expiry: 'date', date }), now);
    expect(dated('')).toEqual({ expires_at: 'Choose a date.' });
    expect(dated('2026-11-18')).toEqual({ expires_at: 'Choose today or a later day.' });
    expect(dated(todayOf(now))).toEqual({});
    expect(dated('2027-02-28')).toEqual({});
  });

  it('say nothing of a date that was not chosen in the end', () => {
    expect(draftErrors(draft({ expiry: '30', date: '2020-01-01' }), now)).toEqual({});
  });
});

describe('expiresAt', () => {
  it('is so many days from now', () => {
    const end = expiresAt({ expiry: '30', date: '' }, null, now);
    expect(end).toBe('2026-12-20T12:00:00.000Z');
  });

  it('is the end of a day of the reader’s calendar', () => {
    const end = expiresAt({ expiry: 'date', date: '2026-12-31' }, null, now);
    expect(new Date(end ?? '')).toEqual(new Date(2027, 0, 1));
  });

  it('is what it was, or nothing', () => {
    const kept = '2027-01-01T00:00:00.000Z';
    expect(expiresAt({ expiry: 'kept', date: '' }, kept, now)).toBe(kept);
    expect(expiresAt({ expiry: 'none', date: '' }, kept, now)).toBeNull();
  });
});

describe('newKeySettings', () => {
  it('are what the service takes', () => {
    const typed = draft({ name: ' shop ', comment: 'here', limit: '5,000', expiry: '90' });
    expect(newKeySettings(typed, now)).toEqual({
      name: 'shop',
      comment: 'here',
      monthly_limit: 5000,
      expires_at: '2027-02-18T12:00:00.000Z',
    });
    expect(newKeySettings(draft(), now)).toMatchObject({ monthly_limit: null, expires_at: null });
  });
});

describe('changedSettings', () => {
  const before = {
    name: 'shop',
    comment: 'old',
    monthly_limit: 12_000,
    expires_at: '2027-01-01T00:00:00.000Z',
  };
  const changes = (given: Partial<Draft>) =>
    changedSettings(before, { ...draftOf(before), ...given }, now);

  it('are only those that differ', () => {
    expect(changes({ name: 'blog' })).toEqual({ name: 'blog' });
    expect(changes({ comment: '' })).toEqual({ comment: '' });
    expect(changes({ limit: '' })).toEqual({ monthly_limit: null });
    expect(changes({ expiry: 'none' })).toEqual({ expires_at: null });
  });

  it('are null when none does', () => {
    expect(changes({ name: ' shop ', limit: '12000' })).toBeNull();
  });
});

describe('serviceErrors', () => {
  const failure = { code: 'invalid_request', message: '…', retryAfter: null, requestId: null };

  it('are what the service says, as sentences', () => {
    const fields = {
      name: 'should not contain control characters',
      expires_at: 'should be in the future',
      other: 'is odd',
    };
    expect(serviceErrors({ ...failure, fields })).toEqual({
      name: 'The name should not contain control characters.',
      expires_at: 'The expiry should be in the future.',
    });
  });

  it('are none for a failure that is about no field', () => {
    expect(serviceErrors({ ...failure, fields: {} })).toEqual({});
    expect(serviceErrors(null)).toEqual({});
  });
});

describe('oneLine', () => {
  it('makes one line of several', () => {
    expect(oneLine('product\r\n  pictures\u2028here')).toBe('product pictures here');
    expect(oneLine('two  spaces ')).toBe('two  spaces ');
  });
});
