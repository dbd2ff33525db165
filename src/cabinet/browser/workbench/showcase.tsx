import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { percentText, sizeChangeText, sizeText, smallerText } from '../../text/formatting.ts';
import { download, useBlobUrl } from './blob-url.ts';
import { Chips } from './chips.tsx';
import type { JobStore } from './job-store.ts';
import { isUnderWay, type Job, resultOf } from './queue.ts';
import { typeText } from './result.ts';
import { Stage } from './stage.tsx';
import { totalsOf } from './summary.ts';

/**
 * The image that is shown large; null for none.
 * @param chosenId the one that was last looked at
 */
export function useShown(jobs: readonly Job[], chosenId: number | null): Job | null {
  const lastId = useRef<number | null>(null);
  const showable = jobs.filter((job) => resultOf(job) !== null || isUnderWay(job));
  // The same image as before, even if others are done earlier.
  const shown =
    showable.find(({ id }) => id === chosenId) ??
    showable.find(({ id }) => id === lastId.current) ??
    showable[0];
  lastId.current = shown?.id ?? null;
  return shown ?? null;
}

/** What was saved, and one of the images, large: before and after under a slider, and its formats side by side. */
export function Showcase({
  jobs,
  shown,
  store,
  onLeft,
}: {
  jobs: readonly Job[];
  /** Null: there is none that could be shown. */
  shown: Job | null;
  store: JobStore;
  /** Called when something disappears that has the focus. */
  onLeft: () => void;
}) {
  if (!shown) return null;
  const result = resultOf(shown);
  return (
    <div class="showcase stack">
      <Payoff jobs={jobs} store={store} onLeft={onLeft} />
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

/** The image while it is being worked on, at the size that it will have beside its result. */
function Preview({ file }: { file: File }) {
  const url = useBlobUrl(file);
  const [isHidden, setHidden] = useState(false);
  if (url === null || isHidden) return null;
  return (
    <>
      <div class="viewer-head">
        <strong class="viewer-name">
          <bdi>{file.name}</bdi>
        </strong>
        <span class="soft">{typeText(file.type)}</span>
        <span class="viewer-zoom out-of-sight">
          <button class="button small" type="button">
            Fit
          </button>
        </span>
      </div>
      <img class="showcase-preview" src={url} alt={file.name} onError={() => setHidden(true)} />
    </>
  );
}

/** What was saved in all; until there is a result, how far the work is. */
function Payoff({
  jobs,
  store,
  onLeft,
}: {
  jobs: readonly Job[];
  store: JobStore;
  onLeft: () => void;
}) {
  const { images, before, after } = totalsOf(jobs);
  if (images === 0) return <Pending jobs={jobs} onLeft={onLeft} />;
  const [first] = jobs;
  const result = first && jobs.length === 1 ? resultOf(first) : null;
  return (
    <p class="payoff" tabIndex={-1} ref={focusIfLost}>
      <strong>{smallerText(before, after)}</strong>
      <span>{sizeChangeText(before, after)}</span>
      {/* With more images, the foot has this for all. */}
      {result && (
        <button
          class={`button ${result.isSmaller ? 'primary' : ''}`}
          type="button"
          onClick={() => {
            download(result.blob, result.fileName);
            store.markSaved([result]);
          }}
        >
          Download
        </button>
      )}
    </p>
  );
}

function Pending({ jobs, onLeft }: { jobs: readonly Job[]; onLeft: () => void }) {
  const text = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    const element = text.current;
    focusIfLost(element);
    return () => {
      if (element === document.activeElement) onLeft();
    };
  }, []);
  const working = jobs.find(({ state }) => state.kind === 'working');
  const share = working?.state.kind === 'working' ? working.state.share : 0;
  return (
    <p class="payoff pending" tabIndex={-1} ref={text}>
      {/* At first, the code may have to be loaded. */}
      <strong>{share > 0 ? `Optimizing, ${percentText(share)}` : 'Starting…'}</strong>
      <span>{sizeText(jobs.reduce((sum, { file }) => sum + file.size, 0))}</span>
    </p>
  );
}

/** Focuses an element if the focus was lost because its element was removed. */
export function focusIfLost(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus({ preventScroll: true });
}
