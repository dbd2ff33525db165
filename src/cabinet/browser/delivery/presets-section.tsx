import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { countText } from '../../text/formatting.ts';
import type { Action } from '../api/call.ts';
import type { List, SiteRecord } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { Field } from '../parts/field.tsx';
import { chrome, type Delivery, deliver, originalReason } from './delivered.ts';
import { imageText, Picture } from './picture.tsx';
import {
  isComplete,
  type PresetDraft,
  type PresetErrors,
  presetErrors,
  presetLimits,
  withoutPreset,
  withPreset,
} from './presets.ts';
import { siteErrors } from './site-draft.ts';
import { type Input, useFirstError, useSiteAction } from './site-form.tsx';
import type { SiteSection } from './site-page.tsx';

/** The preset in the form; `edited` is null for a new one. */
interface Editing {
  readonly edited: string | null;
  readonly draft: PresetDraft;
}

const emptyPreset: Editing = { edited: null, draft: { name: '', options: '' } };

/** Options under a name: listed, added, changed and removed. */
export function PresetsSection({
  site,
  path,
  onChanged,
  onGone,
}: SiteSection & {
  /** The image for previews; null: none was looked at. */
  path: string | null;
}) {
  const [editing, setEditing] = useState<Editing | null>(null);
  // A form may be opened while a removal is under way.
  const current = useRef(editing);
  current.current = editing;
  const saving = useSiteAction(onGone);
  const removal = useSiteAction(onGone);
  // Each sends all presets, so one would undo another that has not been answered.
  const isBusy = saving.isBusy || removal.isBusy;
  const section = useRef<HTMLElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const entries = Object.entries(site.presets);

  function open(next: Editing | null) {
    saving.clearFailure();
    setEditing(next);
  }

  function close() {
    open(null);
    keepFocus();
  }

  /** What was pressed is gone with the next frame, unless people have gone on to something else by then. */
  function keepFocus() {
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      (section.current?.querySelector('input') ?? addButton.current)?.focus();
    });
  }

  /** The presets as they are now: all are sent, and others may have been changed elsewhere. */
  async function readPresets({ run }: Action): Promise<SiteRecord['presets'] | null> {
    const list = await run<List<SiteRecord>>('GET', '/v1/sites');
    if (!list) return null;
    const record = list.items.find(({ id }) => id === site.id);
    if (record) onChanged(record);
    // If the site is gone, the next call is told.
    return record?.presets ?? {};
  }

  async function save(draft: PresetDraft, edited: string | null): Promise<PresetErrors> {
    const now = await readPresets(saving);
    if (!now) return {};
    const errors = presetErrors(draft, now, edited);
    if (Object.keys(errors).length > 0) return errors;
    const presets = withPreset(now, draft, edited);
    const record = await saving.run<SiteRecord>('PATCH', `/v1/sites/${site.id}`, { presets });
    if (record) {
      onChanged(record);
      close();
    }
    return {};
  }

  async function remove(name: string) {
    const now = await readPresets(removal);
    if (!now) return;
    const presets = withoutPreset(now, name);
    const record = await removal.run<SiteRecord>('PATCH', `/v1/sites/${site.id}`, { presets });
    if (!record) return;
    onChanged(record);
    // What is typed for another preset stays.
    const shown = current.current;
    if (shown === null || shown.edited === name) close();
    else keepFocus();
  }

  return (
    <section class="card stack" aria-labelledby="site-presets" ref={section}>
      <h2 id="site-presets">
        Presets <span class="soft">{countText(entries.length)}</span>
      </h2>
      <p class="soft">
        Options under a name: with the preset “card”, URLs have <code>p_card</code>, and you can
        change here what that is.
      </p>
      {entries.length > 0 && (
        <ul class="preset-list">
          {entries.map(([name, options]) => (
            <li key={name}>
              <code>p_{name}</code> <code class="preset-options">{options}</code>
              <span class="cluster">
                <button
                  class="button small"
                  type="button"
                  // What is being saved stays in its form until it is.
                  aria-disabled={saving.isBusy}
                  onClick={() => saving.isBusy || open({ edited: name, draft: { name, options } })}
                >
                  Edit<span class="visually-hidden"> {name}</span>
                </button>
                <button
                  class="button small danger"
                  type="button"
                  aria-disabled={isBusy}
                  onClick={() => isBusy || remove(name)}
                >
                  Remove<span class="visually-hidden"> {name}</span>
                </button>
              </span>
            </li>
          ))}
        </ul>
      )}
      <FailureNotice failure={removal.failure} />
      {editing ? (
        <PresetForm
          key={editing.edited}
          {...{ site, path, editing, saving, isBusy }}
          onSave={save}
          onCancel={close}
        />
      ) : (
        entries.length < presetLimits.count && (
          <p>
            <button class="button" type="button" ref={addButton} onClick={() => open(emptyPreset)}>
              Add a preset
            </button>
          </p>
        )
      )}
    </section>
  );
}

function PresetForm({
  site,
  path,
  editing: { edited, draft: initial },
  saving: { isBusy: isSaving, failure, clearFailure },
  isBusy,
  onSave,
  onCancel,
}: {
  site: SiteRecord;
  path: string | null;
  editing: Editing;
  saving: Action;
  /** Whether it cannot be saved now, since presets are being changed. */
  isBusy: boolean;
  /** Returns what is wrong beside what others have changed since. */
  onSave: (draft: PresetDraft, edited: string | null) => Promise<PresetErrors>;
  onCancel: () => void;
}) {
  const [draft, setDraft] = useState(initial);
  const [localErrors, setLocalErrors] = useState<PresetErrors>({});
  const form = useRef<HTMLFormElement>(null);
  const reported = siteErrors(failure).presets;
  const errors = { options: reported, ...localErrors };
  useLayoutEffect(() => form.current?.querySelector('input')?.focus(), []);
  useFirstError(form, errors, [failure, localErrors]);

  function edit(changed: Partial<PresetDraft>) {
    setDraft({ ...draft, ...changed });
    setLocalErrors({});
    clearFailure();
  }

  async function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy) return;
    const found = presetErrors(draft, site.presets, edited);
    setLocalErrors(found);
    if (Object.keys(found).length === 0) setLocalErrors(await onSave(draft, edited));
  }

  return (
    <form class="preset-form" noValidate ref={form} onSubmit={submit}>
      <Field label="Name" hint="In URLs after p_" error={errors.name}>
        <input
          name="preset"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          placeholder="card"
          readOnly={isSaving}
          value={draft.name}
          onInput={(event: Input) => edit({ name: event.currentTarget.value })}
        />
      </Field>
      <Field label="Options" hint="As in URLs" error={errors.options}>
        <input
          name="preset_options"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          maxLength={presetLimits.options}
          placeholder="w_400,h_300"
          readOnly={isSaving}
          value={draft.options}
          onInput={(event: Input) => edit({ options: event.currentTarget.value.trim() })}
        />
      </Field>
      <PresetPreview site={site} path={path} options={draft.options} />
      <FailureNotice failure={reported === undefined ? failure : null} />
      <p class="cluster">
        <button class="button primary" type="submit" aria-busy={isSaving} aria-disabled={isBusy}>
          {isSaving ? 'Please wait…' : 'Save preset'}
        </button>
        <button class="button" type="button" onClick={() => isSaving || onCancel()}>
          Cancel
        </button>
      </p>
    </form>
  );
}

/** How long options have to stay as they are before an image is made with them, in milliseconds. */
const typingPause = 1000;

/** The image that was looked at with the options that are being typed. */
function PresetPreview({
  site,
  path,
  options,
}: {
  site: SiteRecord;
  path: string | null;
  options: string;
}) {
  const [preview, setPreview] = useState<Delivery | null>(null);
  const isPossible = path !== null && !site.presets_only && isComplete(options);
  useEffect(() => {
    setPreview(null);
    if (path === null || !isPossible) return;
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const delivery = await deliver(site, options, path, chrome);
      if (isCurrent) setPreview(delivery);
    }, typingPause);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [path, options, isPossible]);
  return (
    <figure class="preset-preview">
      <Picture
        image={preview?.kind === 'image' ? preview.image : null}
        alt="Preview of the preset"
        words={
          preview?.kind === 'failed' ? (
            <FailureNotice failure={preview.failure} />
          ) : preview?.kind === 'original' ? (
            originalReason(site)
          ) : isPossible ? (
            'Making a preview…'
          ) : (
            previewHint(site, path)
          )
        }
      />
      <figcaption>
        <span role="status">{preview?.kind === 'image' && imageText(preview.image)}</span>
      </figcaption>
    </figure>
  );
}

/** What it takes to have a preview. */
function previewHint({ presets_only }: SiteRecord, path: string | null): string {
  if (presets_only) {
    return 'URLs of this site may have presets only, so there is no preview before it is saved.';
  }
  if (path === null) return 'Show an image above to have a preview here.';
  return 'The preview appears when you pause. Each one with new options counts as one result.';
}
