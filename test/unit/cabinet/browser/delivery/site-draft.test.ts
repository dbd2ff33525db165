import { describe, expect, it } from 'vitest';
import { ownFailure } from '../../../../../src/cabinet/browser/api/failure.ts';
import {
  cacheTimes,
  changedSiteSettings,
  newSiteErrors,
  newSiteSettings,
  type SettingsDraft,
  savedDraft,
  settingsDraftOf,
  settingsErrors,
  siteErrors,
  withSigned,
} from '../../../../../src/cabinet/browser/delivery/site-draft.ts';
import { siteRecord } from './site-records.ts';

describe('a new site', () => {
  it('is named after its server', () => {
    const draft = { address: 'www.example.com/a/b.jpg', slug: 'example', signed: true };
    expect(newSiteErrors(draft)).toEqual({});
    expect(newSiteSettings(draft)).toEqual({
      name: 'www.example.com',
      slug: 'example',
      source: 'https://www.example.com/',
      signed: true,
    });
  });

  it('needs an address and a slug', () => {
    const errors = newSiteErrors({ address: '', slug: 'a', signed: false });
    expect(Object.keys(errors)).toEqual(['source', 'slug']);
  });
});

describe('errors of the service', () => {
  it('are shown at their fields', () => {
    const fields = { source: 'should end in "/"', monthly_limit: 'should be smaller' };
    expect(siteErrors({ ...ownFailure('invalid_request', ''), fields })).toEqual({
      source: 'The address should end in "/".',
      monthly_limit: 'The monthly limit should be smaller.',
    });
  });

  it('of a preset are those of its options', () => {
    const fields = { 'presets.card': 'should be options of a URL. "x" is no option.' };
    expect(siteErrors({ ...ownFailure('invalid_request', ''), fields })).toEqual({
      presets: 'The options should be options of a URL. "x" is no option.',
    });
  });

  it('that are about one field are shown there', () => {
    expect(siteErrors(ownFailure('slug_taken', 'Taken.'))).toEqual({
      slug: 'This short name is taken: choose another one.',
    });
    expect(siteErrors(ownFailure('source_not_allowed', 'No.'))).toEqual({ source: 'No.' });
    expect(siteErrors(ownFailure('offline', 'No.'))).toEqual({});
    expect(siteErrors(null)).toEqual({});
  });
});

describe('settings', () => {
  const site = siteRecord();
  const draft = (given: Partial<SettingsDraft>) => ({ ...settingsDraftOf(site), ...given });

  it('that were not changed are not sent', () => {
    expect(changedSiteSettings(site, draft({}))).toBeNull();
    expect(changedSiteSettings(site, draft({ name: ' Shop ', limit: '5000' }))).toBeNull();
  });

  it('that were changed while others were saved stay, and nothing else of the form', () => {
    const sent = draft({ name: ' Shop ', limit: '10' });
    const record = siteRecord({ monthly_limit: 10, on_error: 'error' });
    const next = savedDraft(record, sent, { ...sent, limit: '100' });
    expect(next).toEqual({ ...settingsDraftOf(record), limit: '100' });
    expect(changedSiteSettings(record, next)).toEqual({ monthly_limit: 100 });
    expect(savedDraft(record, sent, sent)).toEqual(settingsDraftOf(record));
  });

  it('that were changed are sent alone', () => {
    const changed = draft({ limit: '', onError: 'error', source: 'other.example/a' });
    expect(changedSiteSettings(site, changed)).toEqual({
      monthly_limit: null,
      on_error: 'error',
      source: 'https://other.example/a/',
    });
  });

  it('propose errors where URLs are to be signed, as the service does for new sites', () => {
    const signed = withSigned(site, draft({}), true);
    expect(signed).toEqual(draft({ signed: true, onError: 'error' }));
    expect(withSigned(site, signed, false)).toEqual(draft({}));
    const before = siteRecord({ signed: true });
    const unsigned = withSigned(before, settingsDraftOf(before), false);
    expect(withSigned(before, unsigned, true)).toEqual(settingsDraftOf(before));
    const strict = siteRecord({ on_error: 'error' });
    expect(withSigned(strict, settingsDraftOf(strict), false).onError).toBe('error');
  });

  it.each([
    [{ name: ' ' }, 'name'],
    [{ source: 'https://images.example/cat.jpg' }, 'source'],
    [{ source: 'nothing at all' }, 'source'],
    [{ limit: '1.5' }, 'monthly_limit'],
  ])('of %j have an error', (given, field) => {
    expect(Object.keys(settingsErrors(draft(given)))).toEqual([field]);
  });

  it('have the current time among those to choose from', () => {
    const texts = (current: number) => cacheTimes(current).map(({ label }) => label);
    expect(texts(86_400)).toEqual(['60 minutes', '1 day', '7 days', '30 days', '365 days']);
    expect(texts(300)[0]).toBe('5 minutes');
  });
});
