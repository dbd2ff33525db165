import { useRef } from 'preact/hooks';
import { durationText, type Failure } from '../api/failure.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { Finished } from './finished.tsx';
import { isHeld, type Job, mayPass } from './queue.ts';

export function removeButtonId(id: number): string {
  return `remove-${id}`;
}

/** One picture and what becomes of it. */
export function JobRow({
  job,
  now,
  onRetry,
  onRemove,
}: {
  job: Job;
  now: number;
  onRetry: () => void;
  onRemove: () => void;
}) {
  const row = useRef<HTMLLIElement>(null);
  const { name } = job.file;
  return (
    <li class="card stack job" ref={row} tabIndex={-1}>
      <div class="job-head">
        <h3>
          <bdi>{name}</bdi>
        </h3>
        <button
          class="button quiet small"
          type="button"
          id={removeButtonId(job.id)}
          onClick={onRemove}
        >
          Remove
          <span class="visually-hidden">
            {' '}
            <bdi>{name}</bdi>
          </span>
        </button>
      </div>
      <State
        job={job}
        now={now}
        onRetry={() => {
          // the button goes away
          row.current?.focus();
          onRetry();
        }}
      />
    </li>
  );
}

function State({ job, now, onRetry }: { job: Job; now: number; onRetry: () => void }) {
  const { state, file } = job;
  switch (state.kind) {
    case 'refused':
      return <p class="notice warn">{state.reason}</p>;
    case 'waiting':
      return (
        <p class="soft">
          {isHeld(job) ? 'Not sent yet: the options were not right.' : 'Waits for its turn.'}
        </p>
      );
    case 'pausing':
      return (
        <p class="notice warn">
          The service is busy. It goes on by itself in{' '}
          {durationText(Math.max(1, Math.ceil((state.until - now) / 1000)))}.
        </p>
      );
    case 'sending':
      return state.share < 1 ? (
        <div class="progress-line">
          <progress class="bar" value={state.share} aria-label={`Upload of ${file.name}`} />
          <span class="soft">Sending, {Math.floor(state.share * 100)} %</span>
        </div>
      ) : (
        <div class="progress-line">
          <progress class="bar" aria-label={`Work on ${file.name}`} />
          <span class="soft">Making it smaller …</span>
        </div>
      );
    case 'failed':
      return <Failed failure={state.failure} onRetry={onRetry} />;
    case 'done':
      return <Finished file={file} result={state.result} isCompared={job.isCompared} />;
  }
}

/** Why one picture failed. No alert: many may fail at once, and are announced together. */
function Failed({ failure, onRetry }: { failure: Failure; onRetry: () => void }) {
  return (
    <FailureNotice
      failure={failure}
      isAlert={false}
      onRetry={mayPass(failure) ? onRetry : undefined}
    />
  );
}
