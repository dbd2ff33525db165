import type { KeyRecord } from '../../../../../src/cabinet/browser/api/wire.ts';

/** An ordinary record with the given changes. */
export function keyRecord(different: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id: 'key_1',
    prefix: 'fewer_A1b2C',
    name: 'shop',
    comment: '',
    status: 'active',
    has_secret: false,
    today_used: 0,
    month_used: 0,
    all_time_used: 0,
    monthly_limit: null,
    created_at: '2026-11-20T16:31:00.000Z',
    last_used_at: null,
    expires_at: null,
    revokes_at: null,
    revoked_at: null,
    ...different,
  };
}
