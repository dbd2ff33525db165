import type { SiteRecord } from '../../../../../src/cabinet/browser/api/wire.ts';

/** The record of a site with the given differences from an unsigned one without presets. */
export function siteRecord(given: Partial<SiteRecord> = {}): SiteRecord {
  return {
    id: 'site_1',
    slug: 'shop',
    name: 'Shop',
    source: 'https://images.example/',
    signed: false,
    secrets: [{ secret: 'bJ5t1vXw3m0cQh7yEoK2sRzN8aUdLgPfTiBqVxYe4W0', until: null }],
    presets: {},
    presets_only: false,
    monthly_limit: 5000,
    cache_seconds: 86_400,
    on_error: 'original',
    status: 'active',
    month_used: 0,
    all_time_used: 0,
    last_used_at: null,
    ...given,
  };
}
