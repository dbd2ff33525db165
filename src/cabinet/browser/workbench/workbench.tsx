import '../../design/workbench.css';
import '../../design/image-rows.css';
import '../../design/showcase.css';
import '../../design/viewer.css';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { imagesText } from '../../text/formatting.ts';
import { SnippetTabs } from '../parts/code-block.tsx';
import { FailureNotice } from '../parts/feedback.tsx';
import { finishedOf, labelsOf, savedNamesOf } from './archive.ts';
import { chooserId, DropZone } from './drop-zone.tsx';
import { Foot } from './foot.tsx';
import { ImageRow, type RowActions, removeButtonId } from './image-row.tsx';
import type { JobStore } from './job-store.ts';
import { queryOf } from './options.ts';
import { OptionsLine } from './options-form.tsx';
import { isHeld, isLongVariation, isOutdated, isUnderWay, type Job, resultOf } from './queue.ts';
import { Showcase, useShown } from './showcase.tsx';
import { announcementOf, summaryOf } from './summary.ts';
import { Viewer } from './viewer.tsx';

/** The workbench: a drop zone, one of the images large, a row for each, and the totals. */
export function Workbench({
  store,
  note,
}: {
  store: JobStore;
  /** Shown below, once there are images. */
  note?: ComponentChildren;
}) {
  useJobs(store);
  const list = useRef<HTMLElement>(null);
  const [viewed, setViewed] = useState<number | null>(null);
  const [lastViewed, setLastViewed] = useState<number | null>(null);
  const { options, queue } = store;
  const { jobs, halted } = queue;
  const query = queryOf(options);
  const outdated = query === null ? 0 : jobs.filter((job) => isOutdated(job, query)).length;
  const held = jobs.filter(isHeld).length;
  const labels = labelsOf(jobs);
  const finished = finishedOf(jobs);
  const savedNames = savedNamesOf(finished);
  // Not if nothing comes of any of them.
  const hasFoot = jobs.length > 1 && (finished.length > 0 || jobs.some(isUnderWay));
  const shown = useShown(jobs, lastViewed);
  const inView = jobs.find(({ id }) => id === viewed);

  // Always the same, so that no row is rendered for them.
  const actions = useMemo(
    (): RowActions => ({
      store,
      onRemove: (id) => removeAndFocus(store, id),
      onView(id) {
        setViewed(id);
        setLastViewed(id);
      },
    }),
    [store],
  );

  function clear() {
    store.clear();
    focusChooser();
  }

  // The buttons for these actions are removed when pressed, so the focus moves to the list.
  function focusListThen(act: () => void) {
    list.current?.focus();
    act();
  }

  return (
    <div class={`workbench ${jobs.length > 0 ? 'in-use' : ''}`}>
      <DropZone
        isBar={jobs.length > 0}
        notice={store.notice}
        onSelection={(selection) => void store.take(selection)}
      />
      <OptionsLine options={options} onChange={(changed) => store.choose(changed)} />
      <Showcase
        jobs={jobs}
        shown={shown}
        store={store}
        onLeft={() => list.current?.focus({ preventScroll: true })}
      />
      <section class="stack" aria-label="Your images" ref={list} tabIndex={-1}>
        <p class="visually-hidden" role="status">
          {announcementOf(jobs)}
        </p>
        {jobs.length > 0 && <p class="soft">{summaryOf(jobs)}</p>}
        {halted !== null && (
          <FailureNotice failure={halted} onRetry={() => focusListThen(() => store.retry())} />
        )}
        {query !== null && held + outdated > 0 && (
          <p class="cluster">
            {held > 0 && (
              <button
                class="button primary"
                type="button"
                onClick={() => focusListThen(() => store.release(query))}
              >
                Start {imagesText(held)} now
              </button>
            )}
            {outdated > 0 && (
              <button
                class={`button ${held > 0 ? '' : 'primary'}`}
                type="button"
                onClick={() => focusListThen(() => store.rerun(query))}
              >
                Run again with these options
              </button>
            )}
          </p>
        )}
        {jobs.length > 0 && (
          <ul class="image-rows">
            {jobs.map((job) => (
              <ImageRow
                key={job.id}
                actions={actions}
                job={job}
                label={labels.get(job.id) ?? job.file.name}
                savedName={savedNames.get(job.id)}
                isHalted={halted !== null}
                isAskedAbove={job === shown && isLongVariation(job)}
              />
            ))}
          </ul>
        )}
      </section>
      {jobs.length > 0 && (
        <>
          {/* With a single image, its row has all of this. */}
          {hasFoot && (
            <Foot
              jobs={jobs}
              finished={finished}
              onSaved={(results) => store.markSaved(results)}
              onClear={clear}
            />
          )}
          {query !== null && <AsCode query={codeQuery(query, shown)} jobs={jobs} />}
          {note}
        </>
      )}
      {inView && <Viewer job={inView} store={store} onClose={() => setViewed(null)} />}
    </div>
  );
}

/** Removes an image, whose button is gone then: the focus moves to the one beside it. */
function removeAndFocus(store: JobStore, id: number): void {
  const { jobs } = store.queue;
  const index = jobs.findIndex((job) => job.id === id);
  const neighbor = jobs[index + 1] ?? jobs[index - 1];
  store.remove(id);
  if (neighbor) document.getElementById(removeButtonId(neighbor.id))?.focus();
  else focusChooser();
}

/** Focuses the chooser once the drop zone has its full height again. */
function focusChooser(): void {
  setTimeout(() => {
    const chooser = document.getElementById(chooserId);
    chooser?.focus({ preventScroll: true });
    chooser?.closest('.drop-zone')?.scrollIntoView({ block: 'nearest' });
  });
}

/** The options of the image shown, whose format may have been chosen for it alone, unless the form has changed since. */
function codeQuery(query: string, shown: Job | null): string {
  return shown === null || isOutdated(shown, query) ? query : (shown.query ?? query);
}

/** Whether the API gives the same for the images that were optimized here, with the options of the code. */
function apiWords(jobs: readonly Job[], query: string): string {
  const made = jobs.filter(({ state, query: own }) => state.kind === 'done' && own === query);
  const others = jobs.filter((job) => resultOf(job) !== null).length - made.length;
  const [only] = made;
  if (!only) return '';
  const which = made.length === 1 ? only.file.name : imagesText(made.length);
  const rest = others > 0 ? ` ${imagesText(others)} made with other options.` : '';
  const refusals = made.flatMap((job) => resultOf(job)?.apiRefusal ?? []);
  if (refusals.length === 0) {
    const forWhich = others > 0 ? ` for ${which}` : '';
    return `The API gives the same bytes${forWhich}, unless the key has options of its own.${rest}`;
  }
  const same = refusals.length < made.length ? ' The others come back as the same bytes.' : '';
  return `The API would refuse ${imagesText(refusals.length)}: ${refusals[0]}${same}${rest}`;
}

/** The same operation as an API call, and whether it gives the same. */
function AsCode({ query, jobs }: { query: string; jobs: readonly Job[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="as-code" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Get this as code</summary>
      {isOpen && (
        <div class="stack">
          <SnippetTabs apiKey={null} query={query} />
          <p class="soft">{apiWords(jobs, query)}</p>
        </div>
      )}
    </details>
  );
}

/** Renders again whenever the jobs change. */
function useJobs(store: JobStore): void {
  const [, render] = useReducer((times: number) => times + 1, 0);
  useLayoutEffect(() => store.subscribe(() => render(undefined)), [store]);
}

/**
 * Asks before the page is left if results have not been downloaded, because they exist nowhere else: also while another
 * section of the page is shown.
 */
export function askBeforeLoss(store: JobStore): void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  store.subscribe(() => {
    if (store.queue.jobs.some(isAtStake)) addEventListener('beforeunload', ask);
    else removeEventListener('beforeunload', ask);
  });
}

function isAtStake(job: Job): boolean {
  const { state, isSaved, last } = job;
  return state.kind === 'done'
    ? state.result.isSmaller && !isSaved
    : isUnderWay(job) || (last !== null && !last.isSaved);
}
