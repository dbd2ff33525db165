import type { TargetedSubmitEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { SiteRecord } from '../api/wire.ts';
import { type FilesLeft, filesLeftText } from '../keys/key-state.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { Field } from '../parts/field.tsx';
import {
  cacheTimes,
  changedSiteSettings,
  type SettingsDraft,
  type SiteErrors,
  savedDraft,
  settingsDraftOf,
  settingsErrors,
  siteErrors,
  withSigned,
} from './site-draft.ts';
import { Choice, type Input, useFirstError, useSiteAction } from './site-form.tsx';
import type { SiteSection } from './site-page.tsx';

type Select = { readonly currentTarget: HTMLSelectElement };

/** Everything about a site that is set in a form. */
export function SettingsSection({ site, left, onChanged, onGone }: SiteSection) {
  const { isBusy, failure, run, clearFailure } = useSiteAction(onGone);
  // What the form began with: what has changed elsewhere since, and not here, is not sent.
  const [base, setBase] = useState(site);
  const [draft, setDraft] = useState(() => settingsDraftOf(site));
  const latest = useRef(draft);
  latest.current = draft;
  const [localErrors, setLocalErrors] = useState<SiteErrors>({});
  const [isSaved, setSaved] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const reported = siteErrors(failure);
  const errors = { ...reported, ...localErrors };
  useFirstError(form, errors, [failure, localErrors]);

  function edit(changed: Partial<SettingsDraft>) {
    setDraft({ ...draft, ...changed });
    setLocalErrors({});
    setSaved(false);
    clearFailure();
  }

  async function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy) return;
    const found = settingsErrors(draft);
    setLocalErrors(found);
    if (Object.keys(found).length > 0) return;
    const changes = changedSiteSettings(base, draft);
    const record = changes ? await run<SiteRecord>('PATCH', `/v1/sites/${site.id}`, changes) : site;
    if (!record) return;
    onChanged(record);
    setBase(record);
    const next = savedDraft(record, draft, latest.current);
    setDraft(next);
    setSaved(changedSiteSettings(record, next) === null);
  }

  return (
    <section class="card stack" aria-labelledby="site-settings">
      <h2 id="site-settings">Settings</h2>
      <form class="stack site-form" noValidate ref={form} onSubmit={submit}>
        <Field label="Name" error={errors.name}>
          <input
            name="name"
            autocomplete="off"
            value={draft.name}
            onInput={(event: Input) => edit({ name: event.currentTarget.value })}
          />
        </Field>
        <Field
          label="Address of your images"
          hint="Changing it purges the site."
          error={errors.source}
        >
          <input
            name="source"
            type="url"
            inputMode="url"
            autocomplete="off"
            spellcheck={false}
            value={draft.source}
            onInput={(event: Input) => edit({ source: event.currentTarget.value })}
          />
        </Field>
        <Choice
          label="Answer signed URLs only"
          hint="URLs without a signature are refused, also those that are in your pages already."
          isChecked={draft.signed}
          onChange={(signed) => edit(withSigned(base, draft, signed))}
        />
        <Choice
          label="Answer presets only"
          hint="URLs may have the name of a preset or no options, and nothing else."
          isChecked={draft.presetsOnly}
          onChange={(presetsOnly) => edit({ presetsOnly })}
        />
        <div class="site-numbers">
          <LimitAndTime site={site} left={left} draft={draft} errors={errors} onChange={edit} />
        </div>
        <FailureNotice failure={Object.keys(reported).length === 0 ? failure : null} />
        <p class="cluster">
          <button class="button primary" type="submit" aria-busy={isBusy} aria-disabled={isBusy}>
            {isBusy ? 'Please wait…' : 'Save'}
          </button>
          <span role="status">{isSaved && 'Saved. In effect everywhere within a minute.'}</span>
        </p>
      </form>
    </section>
  );
}

function LimitAndTime({
  site,
  left,
  draft,
  errors,
  onChange,
}: {
  site: SiteRecord;
  left: FilesLeft;
  draft: SettingsDraft;
  errors: SiteErrors;
  onChange: (changed: Partial<SettingsDraft>) => void;
}) {
  return (
    <>
      <Field
        label="Monthly limit"
        hint={`Results per calendar month (UTC). Empty: no limit. ${filesLeftText(site, left) ?? ''}`}
        error={errors.monthly_limit}
      >
        <input
          name="monthly_limit"
          inputMode="numeric"
          autocomplete="off"
          placeholder="No limit"
          value={draft.limit}
          onInput={(event: Input) => onChange({ limit: event.currentTarget.value })}
        />
      </Field>
      <Field
        label="Fresh for"
        hint="After that, the original is checked for changes."
        error={errors.cache_seconds}
      >
        <select
          name="cache_seconds"
          value={String(draft.cache)}
          onChange={(event: Select) => onChange({ cache: Number(event.currentTarget.value) })}
        >
          {cacheTimes(site.cache_seconds).map(({ seconds, label }) => (
            <option key={seconds} value={String(seconds)}>
              {label}
            </option>
          ))}
        </select>
      </Field>
      <Field
        label="If no result can be made"
        hint={
          draft.onError === 'original'
            ? 'Pages keep working. Allow the address of your images in their img-src.'
            : 'Browsers show a broken image.'
        }
      >
        <select
          name="on_error"
          value={draft.onError}
          onChange={(event: Select) =>
            onChange({ onError: event.currentTarget.value === 'error' ? 'error' : 'original' })
          }
        >
          <option value="original">Send the original</option>
          <option value="error">Send an error</option>
        </select>
      </Field>
    </>
  );
}
