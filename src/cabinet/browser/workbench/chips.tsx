import { changeText, sizeText } from '../../text/formatting.ts';
import type { JobStore } from './job-store.ts';
import { LongNotice } from './long-notice.tsx';
import { otherFormats, usuallyGrows, withFormat } from './options.ts';
import { isUnderWay, type Job, resultOf } from './queue.ts';
import { type Result, typeText } from './result.ts';

/** The formats of an image side by side, each with its size and score once it has been made, which a click does. */
export function Chips({ job, store }: { job: Job; store: JobStore }) {
  const { id, query, state, file } = job;
  const current = query ?? '';
  const results = store.resultsOf(id);
  const frames = resultOf(job)?.frames ?? null;
  const isBusy = isUnderWay(job);
  const problem = state.kind === 'failed' ? state.failure : store.queue.halted;
  return (
    <div class="chips-part">
      <fieldset class="chips">
        <legend class="visually-hidden">Format</legend>
        <span class="soft">
          Original <strong>{sizeText(file.size)}</strong>
        </span>
        {[null, ...otherFormats(file.type, frames, current)].map((facts) => {
          const varied = withFormat(current, facts?.type ?? 'keep');
          const isChosen = varied === current;
          return (
            <button
              key={facts?.type ?? 'keep'}
              class="chip"
              type="button"
              aria-pressed={isChosen}
              aria-busy={isChosen && isBusy}
              onClick={() => isChosen || store.vary(id, varied)}
            >
              {facts?.name ?? typeText(file.type)}{' '}
              <ChipFigures
                job={job}
                isChosen={isChosen}
                query={varied}
                result={results.get(varied)?.result ?? null}
              />
            </button>
          );
        })}
        {/* Takes its place at all times, so that nothing moves when the work is done. */}
        <button
          class={`button small ${isBusy ? '' : 'out-of-sight'}`}
          type="button"
          onClick={() => store.cancel(id)}
        >
          Cancel
        </button>
      </fieldset>
      {state.kind === 'long' && (
        <LongNotice
          long={state}
          onInsist={() => store.retry(id)}
          onCancel={() => store.cancel(id)}
        />
      )}
      {problem && <p role="alert">{problem.message}</p>}
    </div>
  );
}

/** What a format takes, or how far the work on it is. */
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
        {score !== null && `, score ${score}`}
      </span>
    );
  }
  if (isChosen && state.kind === 'working') return <span>{Math.floor(100 * state.share)}%</span>;
  if (isChosen && state.kind === 'waiting') return <span>waits</span>;
  return usuallyGrows(file.type, query) ? <span>usually larger</span> : null;
}
