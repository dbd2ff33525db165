import { useRef } from 'preact/hooks';
import { durationText, type Failure } from '../api/failure.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { Finished } from './finished.tsx';
import { isHeld, isTransient, type Upload } from './queue.ts';

export function removeButtonId(id: number): string {
  return `remove-${id}`;
}

/** An uploaded file with its progress or result. */
export function UploadRow({
  upload,
  now,
  onRetry,
  onRemove,
}: {
  upload: Upload;
  now: number;
  onRetry: () => void;
  onRemove: () => void;
}) {
  const row = useRef<HTMLLIElement>(null);
  const { name } = upload.file;
  return (
    <li class="card stack upload" ref={row} tabIndex={-1}>
      <div class="upload-head">
        <h3>
          <bdi>{name}</bdi>
        </h3>
        <button
          class="button quiet small"
          type="button"
          id={removeButtonId(upload.id)}
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
        upload={upload}
        now={now}
        onRetry={() => {
          // the button is removed
          row.current?.focus();
          onRetry();
        }}
      />
    </li>
  );
}

function State({ upload, now, onRetry }: { upload: Upload; now: number; onRetry: () => void }) {
  const { state, file } = upload;
  switch (state.kind) {
    case 'refused':
      return <p class="notice warn">{state.reason}</p>;
    case 'waiting':
      return (
        <p class="soft">
          {isHeld(upload) ? 'Not sent yet: the options were invalid.' : 'Waiting…'}
        </p>
      );
    case 'pausing':
      return (
        <p class="notice warn">
          The service is busy. Retrying in{' '}
          {durationText(Math.max(1, Math.ceil((state.until - now) / 1000)))}.
        </p>
      );
    case 'sending':
      return state.share < 1 ? (
        <div class="progress-line">
          <progress class="bar" value={state.share} aria-label={`Uploading ${file.name}`} />
          <span class="soft">Uploading, {Math.floor(state.share * 100)}%</span>
        </div>
      ) : (
        <div class="progress-line">
          <progress class="bar" aria-label={`Optimizing ${file.name}`} />
          <span class="soft">Optimizing…</span>
        </div>
      );
    case 'failed':
      return <Failed failure={state.failure} onRetry={onRetry} />;
    case 'done':
      return (
        <Finished file={file} result={state.result} isComparisonOpen={upload.isComparisonOpen} />
      );
  }
}

/** Why an upload failed. Not an alert: many may fail at once, and are announced together. */
function Failed({ failure, onRetry }: { failure: Failure; onRetry: () => void }) {
  return (
    <FailureNotice
      failure={failure}
      isAlert={false}
      onRetry={isTransient(failure) ? onRetry : undefined}
    />
  );
}
