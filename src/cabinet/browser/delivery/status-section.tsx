import { useState } from 'preact/hooks';
import type { SiteRecord } from '../api/wire.ts';
import { ConfirmDialog, FailureNotice } from '../parts/feedback.tsx';
import { useSiteAction } from './site-form.tsx';
import type { SiteSection } from './site-page.tsx';

/** Pausing, resuming and deleting a site. */
export function StatusSection({ site, onChanged, onGone }: SiteSection) {
  const status = useSiteAction(onGone);
  const deletion = useSiteAction(onGone);
  const [open, setOpen] = useState<'pause' | 'delete' | null>(null);
  const address = `/v1/sites/${site.id}`;
  const isPaused = site.status === 'paused';

  async function change(to: SiteRecord['status']) {
    const record = await status.run<SiteRecord>('PATCH', address, { status: to });
    if (!record) return;
    // Not another dialog that was opened meanwhile.
    setOpen((one) => (one === 'pause' ? null : one));
    onChanged(record);
  }

  async function remove() {
    if (await deletion.run('DELETE', address)) {
      onGone('has been deleted, with everything that was kept of it.');
    }
  }

  return (
    <section class="card stack" aria-labelledby="site-status">
      <h2 id="site-status">{isPaused ? 'Resume or delete' : 'Pause or delete'}</h2>
      <p class="soft">
        {isPaused ? 'This site is paused: ' : 'A paused site makes and serves nothing: '}
        {pausedText(site)}
      </p>
      {open === null && <FailureNotice failure={status.failure} />}
      <p class="cluster">
        <button
          class="button"
          type="button"
          aria-disabled={status.isBusy}
          onClick={() => {
            if (!isPaused) setOpen('pause');
            else if (!status.isBusy) void change('active');
          }}
        >
          {isPaused ? 'Resume' : 'Pause…'}
        </button>
        <button class="button danger" type="button" onClick={() => setOpen('delete')}>
          Delete…
        </button>
      </p>
      {open === 'pause' && (
        <ConfirmDialog
          title="Pause this site?"
          action="Pause site"
          isBusy={status.isBusy}
          failure={status.failure}
          onConfirm={() => change('paused')}
          onCancel={() => setOpen(null)}
        >
          <Subject site={site} />
          <p>Everywhere within a minute, {pausedText(site)} You can resume it at any time.</p>
        </ConfirmDialog>
      )}
      {open === 'delete' && (
        <ConfirmDialog
          title="Delete this site?"
          action="Delete site"
          isBusy={deletion.isBusy}
          failure={deletion.failure}
          onConfirm={remove}
          onCancel={() => setOpen(null)}
        >
          <Subject site={site} />
          <p>
            Its URLs answer 404, so pages that have them show broken images. What is kept of it is
            deleted, and nobody gets its short name for 90 days. This can’t be undone.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}

/** The site that a dialog is about. */
function Subject({ site: { name, slug } }: { site: SiteRecord }) {
  return (
    <p class="dialog-subject">
      <strong class="whole-name">
        <bdi>{name}</bdi>
      </strong>{' '}
      <code>{slug}</code>
    </p>
  );
}

/** What becomes of a paused site's images, as the end of a sentence. */
function pausedText({ on_error }: SiteRecord): string {
  return on_error === 'original'
    ? 'browsers are sent to the originals.'
    : 'browsers get errors in place of its images.';
}
