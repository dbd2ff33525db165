import { useRef } from 'preact/hooks';
import { changeText, percentText, sizeText } from '../../text/formatting.ts';
import type { JobStore } from './job-store.ts';
import { LongNotice } from './long-notice.tsx';
import { otherFormats, usuallyGrows, withFormat } from './options.ts';
import { isLongVariation, isUnderWay, type Job, resultOf } from './queue.ts';
import { type Result, typeText } from './result.ts';

/** The formats of an image side by side, each with its size and score once it has been made, which a click does. */
export function Chips({
  job,
  store,
  isAlone = false,
}: {
  job: Job;
  store: JobStore;
  /** Whether the rest of the workbench cannot be seen. */
  isAlone?: boolean;
}) {
  const fieldset = useRef<HTMLFieldSetElement>(null);
  const { id, query, state, file } = job;
  const current = query ?? '';
  const results = store.resultsOf(id);
  const made = resultOf(job);
  const isBusy = isUnderWay(job);
  const problem = state.kind === 'failed' ? state.failure : isAlone ? store.queue.halted : null;
  const keptName = typeText(file.type);
  const formats = [null, ...otherFormats(file.type, made?.frames ?? null, current)].map((facts) => {
    const varied = withFormat(current, facts?.type ?? 'keep');
    return { name: facts?.name ?? keptName, query: varied, isChosen: varied === current };
  });
  const chosen = formats.find(({ isChosen }) => isChosen)?.name ?? keptName;

  // The pressed button disappears, so the focus moves to the format that it is about.
  function focusChipThen(act: () => void) {
    fieldset.current?.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus();
    act();
  }

  return (
    <div class="chips-part">
      <fieldset class="chips" ref={fieldset}>
        <legend class="visually-hidden">Format</legend>
        <span class="chip-original">
          Original <span>{sizeText(file.size)}</span>
        </span>
        {formats.map(({ name, query, isChosen }) => (
          <button
            key={query}
            class="chip format"
            type="button"
            aria-pressed={isChosen}
            aria-busy={isChosen && isBusy}
            onClick={() => isChosen || store.vary(id, query)}
          >
            {name}{' '}
            <ChipFigures
              job={job}
              isChosen={isChosen}
              query={query}
              result={results.get(query)?.result ?? null}
            />
          </button>
        ))}
        {/* Takes its place at all times, so that nothing moves when the work is done. */}
        <button
          class={`button small ${isBusy ? '' : 'out-of-sight'}`}
          type="button"
          onClick={() => focusChipThen(() => store.cancel(id))}
        >
          Cancel
        </button>
      </fieldset>
      {/* The page’s own status is about all images, and cannot be heard while the viewer is open. */}
      <p class="visually-hidden" role="status">
        {results.size > 1 || isAlone ? statusOf(chosen, job, made) : ''}
      </p>
      {/* The rows below ask about what was asked for all images. */}
      {state.kind === 'long' && (isLongVariation(job) || isAlone) && (
        <LongNotice
          long={state}
          onInsist={() => focusChipThen(() => store.retry(id))}
          onCancel={() => focusChipThen(() => store.cancel(id))}
        />
      )}
      {problem && <p role="alert">{problem.message}</p>}
    </div>
  );
}

function statusOf(format: string, job: Job, made: Result | null): string {
  if (isUnderWay(job)) return `Making ${format}.`;
  if (job.state.kind !== 'done' || made === null) return '';
  const { bytesBefore, bytesAfter, score } = made;
  const scored = score === null ? '' : `, score ${score}`;
  return `${format}: ${sizeText(bytesAfter)}, ${changeText(bytesBefore, bytesAfter)}${scored}.`;
}

/** What a format takes, how far the work on it is, or that it can be tried: two lines at all times, so that nothing moves. */
function ChipFigures({
  job: { file, state },
  isChosen,
  query,
  result,
}: {
  job: Job;
  isChosen: boolean;
  query: string;
  result: Result | null;
}) {
  if (result) {
    const { bytesBefore, bytesAfter, score } = result;
    return (
      <span>
        {sizeText(bytesAfter)}, {changeText(bytesBefore, bytesAfter)}
        {score !== null && (
          <>
            <span class="visually-hidden">,</span> <br />
            score {score}
          </>
        )}
      </span>
    );
  }
  if (isChosen && state.kind === 'working') return <span>{percentText(state.share)}</span>;
  if (isChosen && state.kind === 'waiting') return <span>waiting</span>;
  if (isChosen) return <span />;
  return (
    <span>
      <span class="untried">Try</span>
      {usuallyGrows(file.type, query) && (
        <>
          <span class="visually-hidden">,</span> <br />
          usually larger
        </>
      )}
    </span>
  );
}
