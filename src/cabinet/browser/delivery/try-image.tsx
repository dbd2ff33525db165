import type { TargetedSubmitEvent } from 'preact';
import { useId, useState } from 'preact/hooks';
import { changeText, sizeChangeText, sizeText, smallerText } from '../../text/formatting.ts';
import type { SiteCheck, SiteRecord } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { Field } from '../parts/field.tsx';
import { typeText } from '../workbench/result.ts';
import { browserKinds, chrome, type Delivery, originalReason } from './delivered.ts';
import { imageText, Picture } from './picture.tsx';
import { pathBelow } from './site-address.ts';
import { type Input, useGone } from './site-form.tsx';
import type { SiteSection } from './site-page.tsx';
import { type Trial, useTrial } from './trial.ts';

/** Shows an image of the site: before and after, in the formats that browsers get. */
export function TryImage({
  site,
  firstPath,
  purges,
  onTried,
  onUsed,
  onGone,
}: Pick<SiteSection, 'site' | 'onGone'> & {
  firstPath: string;
  /** How often images were purged here, which may have changed before. */
  purges: number;
  /** Called with the path of an image that exists, or may. */
  onTried: (path: string) => void;
  onUsed: () => void;
}) {
  const [typed, setTyped] = useState(firstPath);
  const [options, setOptions] = useState(site.presets_only ? '_' : 'w_800');
  const [isMissing, setMissing] = useState(false);
  const { trial, start } = useTrial(site, purges, onUsed);
  useGone(trial?.failure ?? null, onGone);
  const isBusy = trial !== null && !trial.isDone;

  async function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy) return;
    const path = pathBelow(site.source, typed);
    setMissing(path === '');
    if (path === '') return event.currentTarget.querySelector('input')?.focus();
    await start(path, options.trim() || '_', () => onTried(path));
  }

  return (
    <section class="card stack" aria-labelledby="site-try">
      <h2 id="site-try">See an image</h2>
      <form class="try-form" noValidate onSubmit={submit}>
        <Field
          label="Path"
          hint={
            <>
              Below <bdi class="whole-name">{site.source}</bdi>
            </>
          }
          error={isMissing ? 'Enter the path of one of your images.' : undefined}
        >
          <input
            name="path"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            placeholder="photos/cat.jpg"
            value={typed}
            onInput={(event: Input) => {
              setTyped(event.currentTarget.value);
              setMissing(false);
            }}
          />
        </Field>
        <Field
          label="Options"
          hint={
            site.presets_only ? (
              'A preset, such as p_card, or _'
            ) : (
              <>
                Such as w_800, or _ for none: <a href="/docs/delivery#the-options">all options</a>
              </>
            )
          }
        >
          <input
            name="options"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            value={options}
            onInput={(event: Input) => setOptions(event.currentTarget.value)}
          />
        </Field>
        <p class="cluster">
          <button class="button primary" type="submit" aria-busy={isBusy} aria-disabled={isBusy}>
            {isBusy ? 'Please wait…' : 'Show'}
          </button>
          <span class="soft try-price">
            Makes up to four results. Each that is at least 1% smaller counts as one file, once a
            month.
          </span>
        </p>
      </form>
      {trial && <TrialView site={site} trial={trial} />}
    </section>
  );
}

/** As high at the beginning as at the end, so that nothing moves, unless there is nothing to be seen. */
function TrialView({ site, trial }: { site: SiteRecord; trial: Trial }) {
  const [chosen, setChosen] = useState(chrome.id);
  const { check, before, after } = trial;
  const shown = after[chosen] ?? null;
  const shownName = browserKinds.find(({ id }) => id === chosen)?.name ?? '';
  const image = shown?.kind === 'image' ? shown.image : null;
  const failure = shown?.kind === 'failed' ? shown.failure : null;
  const isSeen = !trial.isDone || Object.values(after).some(({ kind }) => kind === 'image');
  if (trial.failure) {
    return (
      <div class="trial stack" aria-busy={false}>
        <FailureNotice failure={trial.failure} />
        {trial.failure.code === 'source_fetch_failed' && (
          <p class="soft">
            Address: <bdi class="whole-name">{site.source + trial.path}</bdi>
          </p>
        )}
      </div>
    );
  }
  return (
    <div class="trial" aria-busy={!trial.isDone}>
      <p class="trial-sum" role="status">
        <Summary trial={trial} />
      </p>
      <div class={isSeen ? 'trial-pair' : undefined}>
        {failure ? (
          <div class="trial-words">
            <FailureNotice failure={failure} />
          </div>
        ) : shown?.kind === 'original' ? (
          <p class="trial-words" role="status">
            {originalReason(site)}
          </p>
        ) : (
          <>
            <figure>
              <Picture
                image={before?.kind === 'image' ? before.image : null}
                alt="Before"
                words={beforeWords(site, before)}
              />
              <figcaption>
                <strong>Before</strong> {check && originalText(check)}
              </figcaption>
            </figure>
            <figure>
              <Picture image={image} alt={`After, as in ${shownName}`} />
              <figcaption>
                <strong>After</strong> {image && imageText(image)}
              </figcaption>
            </figure>
          </>
        )}
      </div>
      <BrowserChoice trial={trial} chosen={chosen} onChoose={setChosen} />
    </div>
  );
}

/** Why there is no picture of the original; null: there is one, or may be. */
function beforeWords(site: SiteRecord, before: Delivery | null): string | null {
  if (site.presets_only) return 'URLs of this site may not ask for the original.';
  return before === null || before.kind === 'image' ? null : 'The original can’t be shown here.';
}

/** What visitors with the commonest browser are spared. */
function Summary({ trial: { check, after, isDone } }: { trial: Trial }) {
  const made = after[chrome.id];
  if (!check) return <>Fetching the original…</>;
  if (made?.kind === 'image') {
    const { size } = made.image.blob;
    const smaller = smallerText(check.bytes, size);
    return (
      <>
        <strong class={smaller.endsWith('% smaller') ? 'badge saved' : undefined}>{smaller}</strong>{' '}
        {sizeChangeText(check.bytes, size)}
      </>
    );
  }
  if (!isDone) return <>Making it smaller…</>;
  const isImpossible = check.plan.every(({ possible }) => !possible);
  return <>{(isImpossible && check.plan[0]?.detail) || 'Not made smaller.'}</>;
}

function originalText({ type, width, height, bytes }: SiteCheck): string {
  return `${typeText(type)}, ${width} × ${height}, ${sizeText(bytes)}`;
}

/** What browsers get, side by side; the chosen one is shown. */
function BrowserChoice({
  trial: { check, after },
  chosen,
  onChoose,
}: {
  trial: Trial;
  chosen: string;
  onChoose: (id: string) => void;
}) {
  const name = useId();
  return (
    <fieldset class="browser-choice">
      <legend>What browsers get</legend>
      <div>
        {browserKinds.map((kind) => (
          <label key={kind.id}>
            <span class="browser-name">
              <input
                type="radio"
                name={name}
                checked={kind.id === chosen}
                onChange={() => onChoose(kind.id)}
              />
              {kind.name}
            </span>
            <span class="browser-figures">
              <BrowserFigures delivery={after[kind.id]} check={check} />
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function BrowserFigures({
  delivery,
  check,
}: {
  delivery: Delivery | undefined;
  check: SiteCheck | null;
}) {
  if (!delivery || !check) return <>…</>;
  if (delivery.kind === 'original') return <>The original</>;
  if (delivery.kind === 'failed') return <>None</>;
  const { type, blob, score } = delivery.image;
  return (
    <>
      <span>
        <strong>{typeText(type)}</strong> {sizeText(blob.size)},{' '}
        {changeText(check.bytes, blob.size)}
      </span>
      <span class="soft">{score === null ? 'No score' : `Score ${score}`}</span>
    </>
  );
}
