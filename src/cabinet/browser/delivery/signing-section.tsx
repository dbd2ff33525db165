import { useEffect, useState } from 'preact/hooks';
import { isOutcomeUnknown } from '../api/failure.ts';
import type { SiteRecord } from '../api/wire.ts';
import { DialogFoot, FailureNotice, Modal } from '../parts/feedback.tsx';
import { LocalTime } from '../parts/moment.tsx';
import { OverlapField, type OverlapHours, Secret } from '../parts/secret.tsx';
import { useSiteAction } from './site-form.tsx';
import type { SiteSection } from './site-page.tsx';

/** The secrets that sign URLs, and replacing them. */
export function SigningSection({ site, onChanged, onGone }: SiteSection) {
  const [isRotating, setRotating] = useState(false);
  return (
    <section class="card stack" aria-labelledby="site-signing">
      <h2 id="site-signing">Signing</h2>
      <p class="soft">
        The code above reads it from the environment variable <code>SITE_SECRET</code>. Keep it on
        your servers: whoever has it can make up URLs of this site.{' '}
        <a href="/docs/signing">How URLs are signed</a>
      </p>
      {site.secrets.map(({ secret, until }) => (
        <OneSecret key={secret} secret={secret} until={until} />
      ))}
      <p>
        <button class="button" type="button" onClick={() => setRotating(true)}>
          Rotate the secret…
        </button>
      </p>
      {isRotating && (
        <RotateSecretDialog
          {...{ site, onGone }}
          onRotated={(record) => {
            onChanged(record);
            setRotating(false);
          }}
          onClose={() => setRotating(false)}
        />
      )}
    </section>
  );
}

function OneSecret({ secret, until }: SiteRecord['secrets'][number]) {
  const [isShown, setShown] = useState(false);
  return (
    <div>
      <h3>
        {until === null ? (
          'Secret'
        ) : (
          <>
            Old secret, works until <LocalTime at={until} />
          </>
        )}
      </h3>
      <Secret
        subject={until === null ? 'secret' : 'old secret'}
        value={secret}
        isShown={isShown}
        onShow={setShown}
      />
    </div>
  );
}

/** Replaces the secret of a site with a new one; signatures of the old one are accepted for a while. */
function RotateSecretDialog({
  site,
  onRotated,
  onClose,
  onGone,
}: {
  site: SiteRecord;
  onRotated: (record: SiteRecord) => void;
  onClose: () => void;
  onGone: (text: string) => void;
}) {
  const { isBusy, failure, run } = useSiteAction(onGone);
  const [hours, setHours] = useState<OverlapHours>(24);
  const [isUncertain, setUncertain] = useState(false);
  const isBeingReplaced = site.secrets.length > 1;
  useEffect(() => {
    if (failure !== null) setUncertain(isOutcomeUnknown(failure));
  }, [failure]);

  async function rotate() {
    const path = `/v1/sites/${site.id}/rotate-secret`;
    const record = await run<SiteRecord>('POST', path, { overlap_hours: hours });
    if (record) onRotated(record);
  }

  return (
    <Modal title="Rotate the secret" isBusy={isBusy} onClose={onClose}>
      <ol class="rotation-steps">
        <li>You get a new secret.</li>
        <li>You put it where your URLs are signed.</li>
        <li>Signatures of the old one are refused, also in pages that are kept somewhere.</li>
      </ol>
      {isBeingReplaced && (
        <p class="notice warn">The secret that is still being replaced ends at once.</p>
      )}
      <OverlapField
        legend="Keep accepting the old secret"
        none="URLs that were signed with the old secret are refused at once. Choose this if it has leaked."
        some={(end) => (
          <>
            URLs signed with either work until <LocalTime at={end} />.
          </>
        )}
        hours={hours}
        onChange={setHours}
      />
      <FailureNotice failure={failure} />
      {isUncertain && <p>It may have been rotated anyway. Reload this page before trying again.</p>}
      <DialogFoot
        action="Rotate secret"
        isHarmless={hours > 0}
        isBusy={isBusy}
        onConfirm={rotate}
        onCancel={onClose}
      />
    </Modal>
  );
}
