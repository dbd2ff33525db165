import { describe, expect, it } from 'vitest';
import { apiKeyPrefix } from '../../../../../src/access/api-key.ts';
import { maxLengths } from '../../../../../src/cabinet/browser/keys/key-draft.ts';
import { prefixLength } from '../../../../../src/cabinet/browser/keys/key-list.ts';
import { commentField, nameField } from '../../../../../src/routes/keys.ts';
import { unknownKey } from '../../../../support/tokens.ts';

describe('what the cabinet knows of keys is what the service does:', () => {
  it.each([
    ['name', nameField, maxLengths.name],
    ['comment', commentField, maxLengths.comment],
  ] as const)('the longest %s', (_, field, most) => {
    expect(field.safeParse('🛒'.repeat(most)).success).toBe(true);
    expect(field.safeParse('🛒'.repeat(most + 1)).success).toBe(false);
  });

  it('the public part of a key', async () => {
    expect(apiKeyPrefix(await unknownKey())).toHaveLength(prefixLength);
  });
});
