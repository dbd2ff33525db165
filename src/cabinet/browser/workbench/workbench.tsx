import '../../design/workbench.css';
import '../../design/uploads.css';
import '../../design/viewer.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../api/failure.ts';
import { SnippetTabs } from '../parts/code-block.tsx';
import { FailureNotice } from '../parts/feedback.tsx';
import type { ChosenFile } from './chosen-files.ts';
import { chooserId, DropZone } from './drop-zone.tsx';
import { Foot } from './foot.tsx';
import { queryOf } from './options.ts';
import { OptionsLine } from './options-form.tsx';
import { isHeld, isOutdated, type Upload } from './queue.ts';
import { announcementOf, imagesText, summaryOf } from './summary.ts';
import { removeButtonId, UploadRow } from './upload-row.tsx';
import type { UploadStore } from './upload-store.ts';
import { Viewer } from './viewer.tsx';

/**
 * The workbench: a drop zone, a row for each image, and the totals.
 * @param onResume called before a halted queue is resumed
 */
export function Workbench({
  store,
  note,
  haltAction,
  onResume,
}: {
  store: UploadStore;
  /** A note about what is charged, and what is left. */
  note: ComponentChildren;
  /** What the user can do about a failure that would affect every upload. */
  haltAction: (failure: Failure) => ComponentChildren;
  onResume: () => void;
}) {
  const list = useRef<HTMLElement>(null);
  const [viewed, setViewed] = useState<number | null>(null);
  const { options, queue } = store;
  const { uploads, halted } = queue;
  const query = queryOf(options);
  const outdated =
    query === null ? 0 : uploads.filter((upload) => isOutdated(upload, query)).length;
  const held = uploads.filter(isHeld).length;
  // Retrying does not help against a limit.
  const isLimit = halted?.code === 'trial_limit_reached';
  const inView = uploads.find(({ id }) => id === viewed);
  useWarningBeforeLoss(uploads);

  function remove(id: number) {
    const index = uploads.findIndex((upload) => upload.id === id);
    const neighbor = uploads[index + 1] ?? uploads[index - 1];
    store.remove(id);
    if (neighbor) document.getElementById(removeButtonId(neighbor.id))?.focus();
    else focusChooser();
  }

  function clear() {
    store.clear();
    focusChooser();
  }

  /** Resumes the queue and performs an action. */
  function resumeThen(act: () => void) {
    onResume();
    act();
  }

  // The buttons for these actions are removed when pressed, so the focus moves to the list.
  function focusListThen(act: () => void) {
    list.current?.focus();
    resumeThen(act);
  }

  return (
    <div class={`workbench ${uploads.length > 0 ? 'in-use' : ''}`}>
      <DropZone
        isBar={uploads.length > 0}
        maxMiB={store.maxMiB}
        onFiles={(files: readonly ChosenFile[]) => resumeThen(() => store.add(files))}
      />
      <OptionsLine options={options} onChange={(changed) => store.choose(changed)} />
      <section class="stack" aria-label="Your images" ref={list} tabIndex={-1}>
        <p class="visually-hidden" role="status">
          {announcementOf(uploads)}
        </p>
        {uploads.length > 0 && <p class="soft">{summaryOf(uploads)}</p>}
        {halted !== null && (
          <div class="stack">
            <FailureNotice
              failure={halted}
              isCalm={isLimit}
              onRetry={isLimit ? undefined : () => focusListThen(() => store.retry())}
            />
            {haltAction(halted)}
          </div>
        )}
        {query !== null && held + outdated > 0 && (
          <p class="cluster">
            {held > 0 && (
              <button
                class="button primary"
                type="button"
                onClick={() => focusListThen(() => store.release(query))}
              >
                Send {imagesText(held)} now
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
        {uploads.length > 0 && (
          <ul class="uploads">
            {uploads.map((upload) => (
              <UploadRow
                key={upload.id}
                upload={upload}
                now={Date.now()}
                onRetry={() => resumeThen(() => store.retry(upload.id))}
                onRemove={() => remove(upload.id)}
                onView={() => setViewed(upload.id)}
                onSaved={() => store.markSaved([upload.id])}
                onRestore={() => store.restore(upload.id)}
                isHalted={halted !== null}
                onVary={(varied) => resumeThen(() => store.vary(upload.id, varied))}
              />
            ))}
          </ul>
        )}
      </section>
      {uploads.length > 0 && (
        <>
          {/* With a single image, its row has all of this. */}
          {uploads.length > 1 && (
            <Foot uploads={uploads} onSaved={(ids) => store.markSaved(ids)} onClear={clear} />
          )}
          {query !== null && <AsCode query={query} />}
        </>
      )}
      <p class="soft">{note}</p>
      {inView && <Viewer upload={inView} store={store} onClose={() => setViewed(null)} />}
    </div>
  );
}

/** Focuses the chooser once the drop zone has its full height again. */
function focusChooser(): void {
  setTimeout(() => {
    const chooser = document.getElementById(chooserId);
    chooser?.focus({ preventScroll: true });
    chooser?.closest('.drop-zone')?.scrollIntoView({ block: 'nearest' });
  });
}

/** The same operation as an API call. */
function AsCode({ query }: { query: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="as-code" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Get this as code</summary>
      {isOpen && <SnippetTabs apiKey={null} query={query} />}
    </details>
  );
}

/** Asks before leaving the page if results have not been downloaded, because they exist nowhere else. */
function useWarningBeforeLoss(uploads: readonly Upload[]): void {
  const isAtStake = uploads.some(({ state, isSaved, last }) =>
    state.kind === 'done'
      ? state.result.isSmaller && !isSaved
      : state.kind === 'sending' || (last !== null && !last.isSaved),
  );
  useEffect(() => {
    if (!isAtStake) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isAtStake]);
}
