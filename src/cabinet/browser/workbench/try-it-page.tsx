import { useState } from 'preact/hooks';
import { filesText } from '../../text/formatting.ts';
import { useLoaded } from '../api/call.ts';
import type { Me } from '../api/wire.ts';
import { isSelling } from '../parts/page-facts.ts';
import { quotaAfter } from './summary.ts';
import { UploadStore } from './upload-store.ts';
import { sendTo, useUploads } from './use-uploads.ts';
import { Workbench } from './workbench.tsx';

/** Outlives the page, so that results that were charged are still available when the user returns. */
const store = new UploadStore(sendTo('/v1/me/optimize'));

/** The page on which users optimize their own images. */
export function TryItPage() {
  useUploads(store);
  // Responses that arrived before the load may be outdated.
  const [loadedAt, setLoadedAt] = useState(() => Date.now());
  const me = useLoaded<Me>('/v1/me');
  const { uploads, halted } = store.queue;
  const left =
    quotaAfter(uploads, loadedAt) ?? (me.body && !me.isLoading ? filesLeft(me.body) : null);

  /** Reloads the quota when resuming after a halt, because it may have changed, for example by buying files. */
  function reloadQuota() {
    if (halted === null) return;
    setLoadedAt(Date.now());
    me.reload();
  }

  return (
    <div class="stack">
      <h1>Try it</h1>
      <Workbench
        store={store}
        onResume={reloadQuota}
        note={
          <>
            Each image that gets smaller uses one file, however many formats you make of it within
            an hour. Images are never stored.{left !== null && ` ${filesText(left)} left.`}
          </>
        }
        haltAction={({ code }) =>
          code === 'quota_exceeded' &&
          isSelling() && (
            <p>
              {/* A new tab, so that the images stay here. */}
              <a class="button" href="/cabinet/payment" target="_blank" rel="noreferrer">
                Buy files in a new tab
              </a>
            </p>
          )
        }
      />
    </div>
  );
}

function filesLeft({ paid_quota_remaining: paid, free_quota: free }: Me): number {
  return paid + free.remaining;
}
