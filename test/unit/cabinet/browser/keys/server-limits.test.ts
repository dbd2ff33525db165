import { describe, expect, it } from 'vitest';
import { apiKeyPrefix } from '../../../../../src/access/api-key.ts';
import {
  draftErrors,
  emptyDraft,
  maxLengths,
  maxMonthlyLimit,
} from '../../../../../src/cabinet/browser/keys/key-draft.ts';
import { prefixLength } from '../../../../../src/cabinet/browser/keys/key-list.ts';
import {
  commentField,
  expiresAtField,
  monthlyLimitField,
  nameField,
} from '../../../../../src/routes/keys/key-fields.ts';
import { unknownKey } from '../../../../support/tokens.ts';

describe('what the cabinet knows of keys is what the service does:', () => {
  it.each([
    ['name', nameField, maxLengths.name],
    ['comment', commentField, maxLengths.comment],
  ] as const)('the longest %s', (_, field, most) => {
    expect(field.safeParse('🛒'.repeat(most)).success).toBe(true);
    expect(field.safeParse('🛒'.repeat(most + 1)).success).toBe(false);
  });

  it('the largest monthly limit', () => {
    expect(monthlyLimitField.safeParse(maxMonthlyLimit).success).toBe(true);
    expect(monthlyLimitField.safeParse(maxMonthlyLimit + 1).success).toBe(false);
  });

  it.each([
    'shop',
    '',
    '  ',
    '\u200b',
    '\u0301',
    '…',
    '🛒',
    'a\u0007b',
    'a\u202eb',
    '\u2069',
    '\ud800',
  ])('which name is one (%j)', (name) => {
    const { name: error } = draftErrors({ ...emptyDraft, name }, Date.now());
    expect(error === undefined).toBe(nameField.safeParse(name).success);
  });

  it.each(['', ' ', 'a\u0007b', 'a\u2066b', 'x\ud800'])('which comment is one (%j)', (comment) => {
    const { comment: error } = draftErrors({ ...emptyDraft, name: 'x', comment }, Date.now());
    expect(error === undefined).toBe(commentField.safeParse(comment).success);
  });

  it.each(['2020-01-01', '2099-12-31', '9999-12-29', '10000-01-01', '275000-01-01'])(
    'which day is one (%s)',
    (date) => {
      const draft = { ...emptyDraft, name: 'x', expiry: 'date', date } as const;
      const { expires_at: error } = draftErrors(draft, Date.now());
      const [year, month, day] = date.split('-').map(Number);
      const end = new Date(year ?? 0, (month ?? 0) - 1, (day ?? 0) + 1).toISOString();
      expect(error === undefined).toBe(expiresAtField.safeParse(end).success);
    },
  );

  it('the public part of a key', async () => {
    expect(apiKeyPrefix(await unknownKey())).toHaveLength(prefixLength);
  });
});
