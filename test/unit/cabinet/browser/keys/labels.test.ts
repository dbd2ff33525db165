import { describe, expect, it } from 'vitest';
import {
  changedLabels,
  labelErrors,
  oneLine,
  serviceErrors,
} from '../../../../../src/cabinet/browser/keys/labels.ts';

describe('labelErrors', () => {
  it('are none for a name and no comment', () => {
    expect(labelErrors({ name: 'shop', comment: '' })).toEqual({});
  });

  it('want a name that is more than spaces', () => {
    expect(labelErrors({ name: '  ', comment: '' })).toEqual({ name: 'Give the key a name.' });
  });

  it('count characters as people do', () => {
    expect(labelErrors({ name: '🛒'.repeat(100), comment: '🛒'.repeat(500) })).toEqual({});
    expect(labelErrors({ name: '🛒'.repeat(101), comment: 'x'.repeat(501) })).toEqual({
      name: 'Too long: 101 characters. The limit is 100.',
      comment: 'Too long: 501 characters. The limit is 500.',
    });
  });

  it('do not count spaces around a name, which are dropped', () => {
    expect(labelErrors({ name: ` ${'x'.repeat(100)} `, comment: '' })).toEqual({});
  });
});

describe('serviceErrors', () => {
  const failure = { code: 'invalid_request', message: '…', retryAfter: null, requestId: null };

  it('are what the service says, as sentences', () => {
    const fields = { name: 'should not contain control characters', other: 'is odd' };
    expect(serviceErrors({ ...failure, fields })).toEqual({
      name: 'The name should not contain control characters.',
    });
  });

  it('are none for a failure that is about no field', () => {
    expect(serviceErrors({ ...failure, fields: {} })).toEqual({});
    expect(serviceErrors(null)).toEqual({});
  });
});

describe('changedLabels', () => {
  const before = { name: 'shop', comment: 'old' };

  it('are only those that differ', () => {
    expect(changedLabels(before, { name: 'blog', comment: 'old' })).toEqual({ name: 'blog' });
    expect(changedLabels(before, { name: 'shop', comment: '' })).toEqual({ comment: '' });
  });

  it('are null when none does', () => {
    expect(changedLabels(before, { name: ' shop ', comment: 'old' })).toBeNull();
  });
});

describe('oneLine', () => {
  it('makes one line of several', () => {
    expect(oneLine('product\r\n  pictures\u2028here')).toBe('product pictures here');
    expect(oneLine('two  spaces ')).toBe('two  spaces ');
  });
});
