import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import { ConfirmDialog, FailureNotice } from '../parts/feedback.tsx';
import { Field } from '../parts/field.tsx';
import { pathBelow } from './site-address.ts';
import { useSiteAction } from './site-form.tsx';
import type { SiteSection } from './site-page.tsx';

/** The most paths of a call. */
const maxPaths = 100;

/** Stops serving what was made of images that have changed. */
export function PurgeSection({
  site,
  onPurged,
  onGone,
}: SiteSection & {
  onPurged: () => void;
}) {
  const some = useSiteAction(onGone);
  const all = useSiteAction(onGone);
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const [done, setDone] = useState('');
  const address = `/v1/sites/${site.id}/purge`;

  async function purgeSome(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (some.isBusy) return;
    const lines = typed.split('\n').map((line) => pathBelow(site.source, line));
    const paths = lines.filter((path) => path !== '');
    const count = paths.length;
    setDone('');
    if (count === 0 || count > maxPaths) {
      setError(count === 0 ? 'Enter at least one path.' : `Enter at most ${maxPaths} paths.`);
      event.currentTarget.querySelector('textarea')?.focus();
      return;
    }
    if (!(await some.run('POST', address, { paths }))) return;
    onPurged();
    // What was typed meanwhile stays.
    setTyped((now) => (now === typed ? '' : now));
    setDone(count === 1 ? 'One image is purged.' : `${count} images are purged.`);
  }

  async function purgeAll() {
    if (!(await all.run('POST', address, {}))) return;
    onPurged();
    setAsking(false);
    setDone('All images are purged.');
  }

  return (
    <section class="card stack" aria-labelledby="site-purge">
      <h2 id="site-purge">Purge</h2>
      <p class="soft">
        For images that have changed: what was made of them is not served again, everywhere within a
        minute. Browsers keep theirs until it expires.
      </p>
      <form class="stack" noValidate onSubmit={purgeSome}>
        <Field label="Paths" hint="One per line." error={error}>
          <textarea
            name="paths"
            rows={2}
            spellcheck={false}
            placeholder="photos/cat.jpg"
            value={typed}
            onInput={(event: { currentTarget: HTMLTextAreaElement }) => {
              setTyped(event.currentTarget.value);
              setError(undefined);
              some.clearFailure();
            }}
          />
        </Field>
        <FailureNotice failure={some.failure} />
        <p class="cluster">
          <button class="button" type="submit" aria-busy={some.isBusy} aria-disabled={some.isBusy}>
            Purge these
          </button>
          <button class="button danger" type="button" onClick={() => setAsking(true)}>
            Purge all…
          </button>
          <span role="status">{done}</span>
        </p>
      </form>
      {isAsking && (
        <ConfirmDialog
          title="Purge all images?"
          action="Purge all"
          isBusy={all.isBusy}
          failure={all.failure}
          onConfirm={purgeAll}
          onCancel={() => setAsking(false)}
        >
          <p>
            Every image of <bdi class="whole-name">{site.name}</bdi> is made anew when it is asked
            for. Results that were charged this month aren’t charged again.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}
