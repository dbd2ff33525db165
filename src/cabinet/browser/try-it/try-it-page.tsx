import '../../design/try-it.css';
import { useRef, useState } from 'preact/hooks';
import { countText } from '../../text/formatting.ts';
import { useLoaded } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';
import type { Me } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { chooserId, DropZone } from './drop-zone.tsx';
import { JobRow, removeButtonId } from './job-row.tsx';
import { complaintsOf, queryOf } from './options.ts';
import { OptionsForm } from './options-form.tsx';
import { isHeld, isOutdated } from './queue.ts';
import { announcementOf, picturesText, quotaAfter, summaryOf } from './summary.ts';
import { usePictures } from './use-pictures.ts';

/** Pictures of one's own, made smaller on the spot. */
export function TryItPage() {
  const pictures = usePictures();
  // older answers may be behind what was loaded
  const [loadedAt, setLoadedAt] = useState(() => Date.now());
  const me = useLoaded<Me>('/v1/me');
  const list = useRef<HTMLElement>(null);
  const { options, queue } = pictures;
  const { jobs, halted } = queue;
  const query = queryOf(options);
  const outdated = query === null ? 0 : jobs.filter((job) => isOutdated(job, query)).length;
  const held = jobs.filter(isHeld).length;
  const left = quotaAfter(jobs, loadedAt) ?? (me.body && !me.isLoading ? filesLeft(me.body) : null);

  /** What stopped the pictures may be mended, as by buying files: figures from before say nothing then. */
  function forgetFigures() {
    if (halted === null) return;
    setLoadedAt(Date.now());
    me.reload();
  }

  function remove(id: number) {
    const index = jobs.findIndex((job) => job.id === id);
    const neighbour = jobs[index + 1] ?? jobs[index - 1];
    pictures.remove(id);
    document.getElementById(neighbour ? removeButtonId(neighbour.id) : chooserId)?.focus();
  }

  function clear() {
    pictures.clear();
    document.getElementById(chooserId)?.focus();
  }

  // the buttons for these go away when pressed
  function goOn() {
    list.current?.focus();
    forgetFigures();
    pictures.retry();
  }

  function add(files: readonly File[]) {
    forgetFigures();
    pictures.add(files);
  }

  function retry(id: number) {
    forgetFigures();
    pictures.retry(id);
  }

  function release(current: string) {
    list.current?.focus();
    forgetFigures();
    pictures.release(current);
  }

  function rerun(current: string) {
    list.current?.focus();
    forgetFigures();
    pictures.rerun(current);
  }

  return (
    <div class="stack try-it">
      <h1>Try it</h1>
      <p>
        See how small your own pictures get. No picture is stored.{' '}
        <span class="soft">
          A picture that comes out smaller counts as one file
          {left !== null && `; ${countText(left)} left`}.
        </span>
      </p>
      <OptionsForm
        options={options}
        complaints={complaintsOf(options)}
        onChange={(changed) => pictures.choose(changed)}
      />
      <DropZone onFiles={add} />
      <section class="stack" aria-label="Your pictures" ref={list} tabIndex={-1}>
        {jobs.length > 0 && <ListHead onClear={clear} />}
        {jobs.length > 0 && <p>{summaryOf(jobs)}</p>}
        <p class="visually-hidden" role="status">
          {announcementOf(jobs)}
        </p>
        {jobs.length > 0 && <HaltNotice failure={halted} onRetry={goOn} />}
        {query !== null && held + outdated > 0 && (
          <p class="cluster">
            {held > 0 && (
              <button class="button primary" type="button" onClick={() => release(query)}>
                Send {picturesText(held)} now
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
        <ul class="jobs">
          {jobs.map((job) => (
            <JobRow
              key={job.id}
              job={job}
              now={Date.now()}
              onRetry={() => retry(job.id)}
              onRemove={() => remove(job.id)}
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
      <h2>Your pictures</h2>
      <button class="button quiet small" type="button" onClick={onClear}>
        Remove all
      </button>
    </div>
  );
}

function filesLeft({ paid_quota_remaining: paid, free_quota: free }: Me): number {
  return paid + free.remaining;
}

/** What keeps all pictures from being sent, and the way on. */
function HaltNotice({ failure, onRetry }: { failure: Failure | null; onRetry: () => void }) {
  return (
    <>
      <FailureNotice failure={failure} onRetry={onRetry} />
      {failure?.code === 'quota_exceeded' && (
        <p>
          {/* in a tab of its own: the pictures stay here */}
          <a class="button" href="/cabinet/payment" target="_blank" rel="noreferrer">
            Buy files in a new tab
          </a>
        </p>
      )}
    </>
  );
}
