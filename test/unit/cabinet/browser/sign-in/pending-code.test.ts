import { describe, expect, it } from 'vitest';
import {
  pendingCode,
  readPendingCode,
} from '../../../../../src/cabinet/browser/sign-in/code-request.ts';

const now = Date.parse('2026-11-20T16:31:00.000Z');
const withoutLife = JSON.stringify({
  email: 'you@gmail.com',
  expiresAt: now + 1,
  againAt: now,
});
const asked = { success: true, expires_in: 600, retry_after: 60 } as const;

describe('a pending code', () => {
  it('lasts as long as the answer says', () => {
    expect(pendingCode('you@gmail.com', asked, now)).toEqual({
      email: 'you@gmail.com',
      life: 600_000,
      expiresAt: now + 600_000,
      againAt: now + 60_000,
    });
  });

  it('survives being kept', () => {
    const pending = pendingCode('you@gmail.com', asked, now);
    expect(readPendingCode(JSON.stringify(pending), now + 599_999)).toEqual(pending);
  });

  it('is forgotten when it has expired', () => {
    const pending = pendingCode('you@gmail.com', asked, now);
    expect(readPendingCode(JSON.stringify(pending), now + 600_000)).toBeNull();
  });

  it.each([null, '', '{', 'null', '7', '{"email":7}', '{"email":"you@gmail.com"}', withoutLife])(
    'is none when what was kept is %j',
    (text) => {
      expect(readPendingCode(text, now)).toBeNull();
    },
  );
});
