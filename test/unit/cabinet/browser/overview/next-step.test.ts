import { describe, expect, it } from 'vitest';
import { firstStep } from '../../../../../src/cabinet/browser/profile/words.ts';
import { keyRecord } from '../keys/key-records.ts';

describe('firstStep', () => {
  it('is a key while there is none that works', () => {
    expect(firstStep([])).toBe('create-key');
    expect(firstStep([keyRecord({ status: 'revoked' })])).toBe('create-key');
  });

  it('is a picture once there is a key', () => {
    expect(firstStep([keyRecord({ status: 'revoked' }), keyRecord()])).toBe('send-image');
  });

  it('lies behind whoever has sent a picture, be it with a key that is revoked', () => {
    expect(firstStep([keyRecord(), keyRecord({ status: 'revoked', all_time_used: 1 })])).toBeNull();
  });
});
