import { useState } from 'preact/hooks';
import { sizeChangeText, sizeText } from '../../text/formatting.ts';
import { download, useBlobUrl } from './blob-url.ts';
import { Chips } from './chips.tsx';
import type { JobStore } from './job-store.ts';
import { isUnderWay, type Job, resultOf } from './queue.ts';
import { Stage } from './stage.tsx';

/** One of the images, large: what was saved, before and after under a slider, and its formats side by side. */
export function Showcase({ jobs, store }: { jobs: readonly Job[]; store: JobStore }) {
  const [shownId, setShownId] = useState<number | null>(null);
  const kept = jobs.find((job) => job.id === shownId && resultOf(job) !== null);
  // Until there is a result, the chosen image is shown, so that nothing moves when the result arrives.
  const shown = kept ?? jobs.find((job) => resultOf(job) !== null) ?? jobs.find(isUnderWay);
  if (!shown) return null;
  const result = resultOf(shown);
  if (result !== null && shown.id !== shownId) setShownId(shown.id);
  return (
    <div class="showcase stack">
      <Payoff job={shown} onSaved={() => store.markSaved([shown.id])} />
      <div class="showcase-stage">
        {result ? (
          <Stage key={shown.id} file={shown.file} query={shown.query} result={result} scrollsPage />
        ) : (
          <Preview key={shown.id} file={shown.file} />
        )}
      </div>
      <Chips job={shown} store={store} />
    </div>
  );
}

/** The image while it is being worked on. */
function Preview({ file }: { file: File }) {
  const url = useBlobUrl(file);
  const [isHidden, setHidden] = useState(false);
  if (url === null || isHidden) return null;
  return <img class="showcase-preview" src={url} alt={file.name} onError={() => setHidden(true)} />;
}

/** What was saved; until there is a result, how far the work is. */
function Payoff({ job, onSaved }: { job: Job; onSaved: () => void }) {
  const { file, state } = job;
  const result = resultOf(job);
  if (result === null) {
    return (
      <p class="payoff pending" tabIndex={-1} ref={focusIfLost}>
        <strong>{state.kind === 'working' ? workingText(state.share) : 'Waiting…'}</strong>
        <span>{sizeText(file.size)}</span>
      </p>
    );
  }
  const { blob, fileName, bytesBefore, bytesAfter, isSmaller } = result;
  const smaller = Math.round(100 * (1 - bytesAfter / bytesBefore));
  return (
    <p class="payoff" tabIndex={-1} ref={focusIfLost}>
      <strong>{isSmaller ? `${smaller}% smaller` : 'No smaller'}</strong>
      <span>{sizeChangeText(bytesBefore, bytesAfter)}</span>
      <button
        class="button primary"
        type="button"
        onClick={() => {
          download(blob, fileName);
          onSaved();
        }}
      >
        Download
      </button>
    </p>
  );
}

/** How far the work on an image is; at first, its code may have to be loaded. */
export function workingText(share: number): string {
  return share > 0 ? `Optimizing, ${Math.floor(100 * share)}%` : 'Optimizing…';
}

/** Focuses an element if the focus was lost because its element was removed. */
export function focusIfLost(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus({ preventScroll: true });
}
