import { countText } from '../../text/formatting.ts';
import { durationText, type Failure } from '../api/failure.ts';
import type { SiteRecord } from '../api/wire.ts';
import { limitOf, maxMonthlyLimit, nameErrorOf } from '../keys/key-draft.ts';
import { isSlug, readAddress } from './site-address.ts';

/** The form of a new site. */
export interface NewSiteDraft {
  /** As typed. */
  readonly address: string;
  readonly slug: string;
  readonly signed: boolean;
}

/** Messages by the field of the service. */
export type SiteErrors = Readonly<Record<string, string>>;

const addressError =
  'Enter the address below which your images are, such as https://www.example.com/images/, or that of one of them.';

/** Errors that are detected without a request to the service. */
export function newSiteErrors({ address, slug }: NewSiteDraft): SiteErrors {
  return {
    ...(readAddress(address) === null && { source: addressError }),
    ...(!isSlug(slug) && {
      slug: 'Use 3 to 40 of a–z, 0–9 and hyphens, which stand between two others.',
    }),
  };
}

/** What is sent for a new site; the draft must have no errors. Its name is that of its server. */
export function newSiteSettings({ address, slug, signed }: NewSiteDraft) {
  const source = readAddress(address)?.source ?? '';
  return { name: new URL(source).host, slug, source, signed };
}

const subjects = {
  name: 'The name',
  slug: 'The short name',
  source: 'The address',
  presets: 'The options',
  monthly_limit: 'The monthly limit',
  cache_seconds: 'The time',
} as const;

/** Errors reported by the service, as sentences by field. */
export function siteErrors(failure: Failure | null): SiteErrors {
  if (failure === null) return {};
  if (failure.code === 'slug_taken') {
    return { slug: 'This short name is taken: choose another one.' };
  }
  if (failure.code === 'source_not_allowed') return { source: failure.message };
  const found = Object.entries(subjects).flatMap(([field, subject]) => {
    // An error of a preset has its name in its path.
    const path = Object.keys(failure.fields).find(
      (one) => one === field || one.startsWith(`${field}.`),
    );
    const message = path === undefined ? undefined : failure.fields[path];
    if (message === undefined) return [];
    return [[field, `${subject} ${message.replace(/[.]?$/, '.')}`]];
  });
  return Object.fromEntries(found);
}

/** The form of a site's settings. */
export interface SettingsDraft {
  readonly name: string;
  readonly source: string;
  readonly signed: boolean;
  readonly presetsOnly: boolean;
  /** As typed; empty for no limit. */
  readonly limit: string;
  /** Seconds. */
  readonly cache: number;
  readonly onError: SiteRecord['on_error'];
}

export function settingsDraftOf(site: SiteRecord): SettingsDraft {
  const { name, source, signed, monthly_limit } = site;
  return {
    ...{ name, source, signed },
    presetsOnly: site.presets_only,
    limit: monthly_limit === null ? '' : countText(monthly_limit),
    cache: site.cache_seconds,
    onError: site.on_error,
  };
}

/** The form once URLs are to be signed, or not. For those that become so, it proposes the service's default. */
export function withSigned(site: SiteRecord, draft: SettingsDraft, signed: boolean): SettingsDraft {
  if (site.signed || site.on_error === 'error') return { ...draft, signed };
  return { ...draft, signed, onError: signed ? 'error' : 'original' };
}

/** Errors that are detected without a request to the service. */
export function settingsErrors({ name, source, limit }: SettingsDraft): SiteErrors {
  const nameError = nameErrorOf(name, 'site');
  return {
    ...(nameError !== null && { name: nameError }),
    ...((readAddress(source)?.path ?? 'none') !== '' && {
      source:
        'Enter the address below which your images are, such as https://www.example.com/images/.',
    }),
    ...(Number.isNaN(limitOf(limit)) && {
      monthly_limit: `Enter a whole number from 1 to ${countText(maxMonthlyLimit)}, or nothing.`,
    }),
  };
}

/** The settings that a form has changed, which are the only ones sent; null if there are none. */
export function changedSiteSettings(
  site: SiteRecord,
  draft: SettingsDraft,
): Partial<SiteRecord> | null {
  const after = {
    name: draft.name.trim(),
    source: readAddress(draft.source)?.source ?? draft.source,
    signed: draft.signed,
    presets_only: draft.presetsOnly,
    monthly_limit: limitOf(draft.limit),
    cache_seconds: draft.cache,
    on_error: draft.onError,
  };
  const changed = Object.entries(after).filter(
    ([field, value]) => value !== site[field as keyof typeof after],
  );
  return changed.length === 0 ? null : Object.fromEntries(changed);
}

/** The form once it is saved: what was typed while it was sent stays. */
export function savedDraft(
  record: SiteRecord,
  sent: SettingsDraft,
  current: SettingsDraft,
): SettingsDraft {
  const typed = Object.entries(current).filter(
    ([field, value]) => value !== sent[field as keyof SettingsDraft],
  );
  return { ...settingsDraftOf(record), ...Object.fromEntries(typed) };
}

const cacheChoices = [3600, 86_400, 7 * 86_400, 30 * 86_400, 365 * 86_400];

/** How long results may stay fresh, in seconds, with the current one among them. */
export function cacheTimes(current: number): readonly { seconds: number; label: string }[] {
  const all = [...new Set([...cacheChoices, current])].sort((one, other) => one - other);
  return all.map((seconds) => ({ seconds, label: timeText(seconds) }));
}

function timeText(seconds: number): string {
  const days = seconds / 86_400;
  if (!Number.isInteger(days)) return durationText(seconds);
  return days === 1 ? '1 day' : `${countText(days)} days`;
}
