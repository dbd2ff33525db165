import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../api/call.ts';
import { isOutcomeUnknown } from '../api/failure.ts';
import type { SiteRecord } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { Field } from '../parts/field.tsx';
import { listAddress, readAddress, slugFor } from './site-address.ts';
import {
  type NewSiteDraft,
  newSiteErrors,
  newSiteSettings,
  type SiteErrors,
  siteErrors,
} from './site-draft.ts';
import { Choice, type Input, useFirstError } from './site-form.tsx';

/** Creates a site: the first of three steps. */
export function NewSitePage({
  onCreated,
  onOutcomeUnknown,
}: {
  /** `path`: of the image whose address was typed, if it was that of an image. */
  onCreated: (record: SiteRecord, path: string) => void;
  /** Called if there was no usable response: the site may have been created anyway. */
  onOutcomeUnknown: () => void;
}) {
  const { isBusy, failure, run, clearFailure } = useAction();
  const [draft, setDraft] = useState<NewSiteDraft>({ address: '', slug: '', signed: false });
  const [isSlugTyped, setSlugTyped] = useState(false);
  const [localErrors, setLocalErrors] = useState<SiteErrors>({});
  const form = useRef<HTMLFormElement>(null);
  const reported = siteErrors(failure);
  const errors = { ...reported, ...localErrors };
  useFirstError(form, errors, [failure, localErrors]);
  const isUncertain = failure !== null && isOutcomeUnknown(failure);
  useEffect(() => {
    if (isUncertain) onOutcomeUnknown();
  }, [failure]);

  const typed = readAddress(draft.address);
  const slug = isSlugTyped || typed === null ? draft.slug : slugFor(typed);
  const current = { ...draft, slug };

  function edit(changed: Partial<NewSiteDraft>) {
    setDraft({ ...current, ...changed });
    setLocalErrors({});
    clearFailure();
  }

  async function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy) return;
    const found = newSiteErrors(current);
    setLocalErrors(found);
    if (Object.keys(found).length > 0) return;
    const record = await run<SiteRecord>('POST', '/v1/sites', newSiteSettings(current));
    if (record) onCreated(record, typed?.path ?? '');
  }

  return (
    <>
      <p>
        <a href={listAddress}>All sites</a>
      </p>
      <h1>New site</h1>
      <Steps at={1} />
      <form class="card stack site-form" noValidate ref={form} onSubmit={submit}>
        <Field
          label="Address of your images"
          hint={
            failure?.code === 'source_not_allowed' ? (
              <>
                <a href="/docs/delivery#in-five-minutes">The documentation</a> says which addresses
                are allowed, and how to allow one on your own machine.
              </>
            ) : typed === null ? (
              'Or of one of them.'
            ) : (
              sourceText(typed.source)
            )
          }
          error={errors.source}
        >
          <input
            name="source"
            type="url"
            inputMode="url"
            autocomplete="off"
            spellcheck={false}
            placeholder="https://www.example.com/images/"
            value={draft.address}
            onInput={(event: Input) => edit({ address: event.currentTarget.value })}
          />
        </Field>
        <Field
          label="Short name"
          hint={`Stands in the URLs, and stays: ${location.host}/i/${slug || 'my-shop'}/…`}
          error={errors.slug}
        >
          <input
            name="slug"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            placeholder="my-shop"
            value={slug}
            onInput={(event: Input) => {
              setSlugTyped(true);
              edit({ slug: event.currentTarget.value });
            }}
          />
        </Field>
        <Choice
          label="Answer signed URLs only"
          hint="Nobody but you can make up URLs then. Your server or build has to sign them."
          isChecked={draft.signed}
          onChange={(signed) => edit({ signed })}
        />
        <FailureNotice failure={Object.keys(reported).length === 0 ? failure : null} />
        {isUncertain && (
          <p>
            The site may have been created anyway. Look at <a href={listAddress}>all sites</a>{' '}
            before trying again.
          </p>
        )}
        <p class="cluster">
          <button class="button primary" type="submit" aria-busy={isBusy} aria-disabled={isBusy}>
            {isBusy ? 'Please wait…' : 'Continue'}
          </button>
        </p>
      </form>
    </>
  );
}

function sourceText(source: string) {
  return (
    <>
      Images below <bdi class="whole-name">{source}</bdi> will be delivered, and no others.
    </>
  );
}

const steps = ['The address of your images', 'See one of them', 'Put it into your pages'] as const;

/** The way to the first image by URL. */
export function Steps({ at }: { at: 1 | 2 | 3 }) {
  return (
    <ol class="delivery-steps">
      {steps.map((step, i) => (
        <li
          key={step}
          class={i + 1 < at ? 'done' : undefined}
          aria-current={i + 1 === at ? 'step' : undefined}
        >
          {step}
          {i + 1 < at && <span class="visually-hidden"> (done)</span>}
        </li>
      ))}
    </ol>
  );
}
