import '../../design/try-it.css';
import { useRef, useState } from 'preact/hooks';
import { countText } from '../../text/formatting.ts';
import { useLoaded } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';
import type { Me } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { chooserId, DropZone } from './drop-zone.tsx';
import { fieldErrors, queryOf } from './options.ts';
import { OptionsForm } from './options-form.tsx';
import { isHeld, isOutdated } from './queue.ts';
import { announcementOf, imagesText, quotaAfter, summaryOf } from './summary.ts';
import { removeButtonId, UploadRow } from './upload-row.tsx';
import { useUploads } from './use-uploads.ts';

/** The page on which users optimize their own images. */
export function TryItPage() {
  const store = useUploads();
  // answers from before a load may be older than it
  const [loadedAt, setLoadedAt] = useState(() => Date.now());
  const me = useLoaded<Me>('/v1/me');
  const list = useRef<HTMLElement>(null);
  const { options, queue } = store;
  const { uploads, halted } = queue;
  const query = queryOf(options);
  const outdated =
    query === null ? 0 : uploads.filter((upload) => isOutdated(upload, query)).length;
  const held = uploads.filter(isHeld).length;
  const left =
    quotaAfter(uploads, loadedAt) ?? (me.body && !me.isLoading ? filesLeft(me.body) : null);

  /** After a halt the quota may have changed, for example by buying files: reload it. */
  function reloadQuota() {
    if (halted === null) return;
    setLoadedAt(Date.now());
    me.reload();
  }

  function remove(id: number) {
    const index = uploads.findIndex((upload) => upload.id === id);
    const neighbour = uploads[index + 1] ?? uploads[index - 1];
    store.remove(id);
    document.getElementById(neighbour ? removeButtonId(neighbour.id) : chooserId)?.focus();
  }

  function clear() {
    store.clear();
    document.getElementById(chooserId)?.focus();
  }

  // the buttons for the following are removed when pressed, so the focus moves to the list
  function resume() {
    list.current?.focus();
    reloadQuota();
    store.retry();
  }

  function add(files: readonly File[]) {
    reloadQuota();
    store.add(files);
  }

  function retry(id: number) {
    reloadQuota();
    store.retry(id);
  }

  function release(current: string) {
    list.current?.focus();
    reloadQuota();
    store.release(current);
  }

  function rerun(current: string) {
    list.current?.focus();
    reloadQuota();
    store.rerun(current);
  }

  return (
    <div class="stack try-it">
      <h1>Try it</h1>
      <p>
        See how small your own images get. Images are never stored.{' '}
        <span class="soft">
          An image that gets smaller counts as one file
          {left !== null && `; ${countText(left)} left`}.
        </span>
      </p>
      <OptionsForm
        options={options}
        errors={fieldErrors(options)}
        onChange={(changed) => store.choose(changed)}
      />
      <DropZone onFiles={add} />
      <section class="stack" aria-label="Your images" ref={list} tabIndex={-1}>
        {uploads.length > 0 && <ListHead onClear={clear} />}
        {uploads.length > 0 && <p>{summaryOf(uploads)}</p>}
        <p class="visually-hidden" role="status">
          {announcementOf(uploads)}
        </p>
        {uploads.length > 0 && <HaltNotice failure={halted} onRetry={resume} />}
        {query !== null && held + outdated > 0 && (
          <p class="cluster">
            {held > 0 && (
              <button class="button primary" type="button" onClick={() => release(query)}>
                Send {imagesText(held)} now
              </button>
            )}
            {outdated > 0 && (
              <button
                class={`button ${held > 0 ? '' : 'primary'}`}
                type="button"
                onClick={() => rerun(query)}
              >
                Run again with these options
              </button>
            )}
          </p>
        )}
        <ul class="uploads">
          {uploads.map((upload) => (
            <UploadRow
              key={upload.id}
              upload={upload}
              now={Date.now()}
              onRetry={() => retry(upload.id)}
              onRemove={() => remove(upload.id)}
            />
          ))}
        </ul>
      </section>
    </div>
  );
}

function ListHead({ onClear }: { onClear: () => void }) {
  return (
    <div class="cluster apart">
      <h2>Your images</h2>
      <button class="button quiet small" type="button" onClick={onClear}>
        Remove all
      </button>
    </div>
  );
}

function filesLeft({ paid_quota_remaining: paid, free_quota: free }: Me): number {
  return paid + free.remaining;
}

/** Why the queue is halted, and how to resume it. */
function HaltNotice({ failure, onRetry }: { failure: Failure | null; onRetry: () => void }) {
  return (
    <>
      <FailureNotice failure={failure} onRetry={onRetry} />
      {failure?.code === 'quota_exceeded' && (
        <p>
          {/* in a new tab, so that the images stay here */}
          <a class="button" href="/cabinet/payment" target="_blank" rel="noreferrer">
            Buy files in a new tab
          </a>
        </p>
      )}
    </>
  );
}
