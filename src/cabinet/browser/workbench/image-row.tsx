import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { countText, percentText, sizeText } from '../../text/formatting.ts';
import type { Failure } from '../api/failure.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { useBlobUrl } from './blob-url.ts';
import type { JobStore } from './job-store.ts';
import { LongNotice } from './long-notice.tsx';
import { withMaxBytes } from './options.ts';
import { Outcome } from './outcome.tsx';
import { isHeld, isResultSaved, type Job, resultOf } from './queue.ts';
import type { Result } from './result.ts';

/** The id of the button that removes a row. */
export function removeButtonId(id: number): string {
  return `remove-${id}`;
}

/** What can be done in rows, the same for all of them. */
export interface RowActions {
  readonly store: JobStore;
  readonly onRemove: (id: number) => void;
  readonly onView: (id: number) => void;
}

interface StateActions {
  /** Does it again, or however long it takes. */
  readonly onRetry: () => void;
  readonly onCancel: () => void;
  /** Optimizes the image again with other options, given as a query. */
  readonly onVary: (query: string) => void;
  /** Restores the previous result. */
  readonly onRestore: () => void;
}

interface RowProps {
  actions: RowActions;
  job: Job;
  /** The file's name, or what tells it from others of the same name. */
  label: string;
  /** The name that the result is saved under, if there is one. */
  savedName: string | undefined;
  isHalted: boolean;
  /** Whether the question before long work is put above (chips.tsx). */
  isAskedAbove: boolean;
}

/**
 * A file in one line, with its progress or result. It is rendered again only if something in it changes, because there
 * may be hundreds, and only a few are being worked on.
 */
export function ImageRow(props: RowProps) {
  const { job, label, savedName, isHalted, isAskedAbove, actions } = props;
  return useMemo(
    () => <Row {...props} />,
    [job, label, savedName, isHalted, isAskedAbove, actions],
  );
}

function Row({
  actions: { store, onRemove, onView },
  job,
  label,
  savedName,
  isHalted,
  isAskedAbove,
}: RowProps) {
  const row = useRef<HTMLLIElement>(null);
  const { id, file, path } = job;
  const result = resultOf(job);
  const hasResult = result !== null;
  // The pressed button is removed, so the focus moves to the row.
  const focusRowThen = (act: () => void) => () => {
    row.current?.focus();
    act();
  };
  const name = <bdi>{label}</bdi>;
  return (
    <li class="image-row" ref={row} tabIndex={-1}>
      {/* The same element in all states, because the focus returns to it. */}
      <button
        class="image-view"
        type="button"
        aria-disabled={!hasResult}
        tabIndex={hasResult ? 0 : -1}
        onClick={() => hasResult && onView(id)}
      >
        <Thumbnail file={file} />
        {hasResult && <Icon name="compare" />}
        <span class="visually-hidden">Compare {name} before and after</span>
      </button>
      <h3 class="image-name" title={path}>
        {name}
      </h3>
      <State
        job={job}
        label={label}
        onRetry={focusRowThen(() => store.retry(id))}
        onCancel={focusRowThen(() => store.cancel(id))}
        onVary={(query) => focusRowThen(() => store.vary(id, query))()}
        onRestore={focusRowThen(() => store.restore(id))}
        isHalted={isHalted}
        isAskedAbove={isAskedAbove}
      />
      <span class="image-actions">
        {result ? (
          <DownloadLink
            result={result}
            name={savedName ?? result.fileName}
            isSaved={isResultSaved(job)}
            onSaved={() => store.markSaved([result])}
          />
        ) : (
          <span class="download-place" />
        )}
        <button
          class="button quiet small icon-button"
          type="button"
          id={removeButtonId(id)}
          onClick={() => onRemove(id)}
        >
          <Icon name="remove" />
          <span class="visually-hidden">Remove {name}</span>
        </button>
      </span>
    </li>
  );
}

function DownloadLink({
  result: { blob },
  name,
  isSaved,
  onSaved,
}: {
  result: Result;
  name: string;
  isSaved: boolean;
  onSaved: () => void;
}) {
  const url = useBlobUrl(blob);
  if (url === null) return <span class="download-place" />;
  return (
    <a
      class={`button small icon-button ${isSaved ? 'quiet' : ''}`}
      href={url}
      download={name}
      onClick={onSaved}
    >
      <Icon name="download" />
      <span class="visually-hidden">
        Download <bdi>{name}</bdi>
      </span>
    </a>
  );
}

function State({
  job,
  label,
  onRetry,
  onCancel,
  onVary,
  onRestore,
  isHalted,
  isAskedAbove,
}: StateActions & { job: Job; label: string; isHalted: boolean; isAskedAbove: boolean }) {
  const { state, last } = job;
  switch (state.kind) {
    case 'refused':
      return <p class="image-told notice warn">{state.reason}</p>;
    case 'waiting':
      return (
        <p class="image-state soft">
          {isHeld(job)
            ? 'Not started: the options were invalid.'
            : isHalted
              ? 'Not started.'
              : 'Waiting…'}
        </p>
      );
    case 'working':
      return (
        <div class="image-state progress-line">
          <progress
            class="bar"
            {...(state.share > 0 && { value: state.share })}
            aria-label={`Optimizing ${label}`}
          />
          <span class="soft">
            <span class="progress-word">{state.share > 0 ? 'Optimizing, ' : 'Starting'}</span>
            {state.share > 0 ? percentText(state.share) : '…'}
          </span>
          <button class="button small quiet" type="button" onClick={onCancel}>
            Cancel<span class="visually-hidden"> {label}</span>
          </button>
        </div>
      );
    case 'long': {
      const question = !isAskedAbove && (
        <LongNotice long={state} label={label} onInsist={onRetry} onCancel={onCancel} />
      );
      if (!last) return <div class="image-told">{question}</div>;
      return (
        <Outcome job={job} result={last.done.result} onVary={onVary}>
          {question}
        </Outcome>
      );
    }
    case 'cancelled':
      return (
        <p class="image-told cluster">
          <span>Cancelled.</span>
          <button class="button small" type="button" onClick={onRetry}>
            Start again
          </button>
        </p>
      );
    case 'failed':
      return (
        <Failed
          job={job}
          failure={state.failure}
          onRetry={onRetry}
          onVary={onVary}
          onRestore={onRestore}
        />
      );
    case 'done':
      return <Outcome job={job} result={state.result} onVary={onVary} />;
  }
}

/**
 * Why a job failed, and what can be done. It is not an alert: many may fail at once, and are announced together.
 */
function Failed({
  job,
  failure,
  onRetry,
  onVary,
  onRestore,
}: Omit<StateActions, 'onCancel'> & { job: Job; failure: Failure }) {
  const query = job.query ?? '';
  const kilobytes = fittingKilobytes(failure);
  return (
    <div class="image-told">
      <FailureNotice
        failure={failure}
        isAlert={false}
        onRetry={failure.code === 'crashed' ? onRetry : undefined}
      />
      {(kilobytes !== null || job.last !== null) && (
        <p class="cluster">
          {kilobytes !== null && (
            <button
              class="button small"
              type="button"
              onClick={() => onVary(withMaxBytes(query, 1000 * kilobytes))}
            >
              Allow {countText(kilobytes)} KB
            </button>
          )}
          {job.last !== null && (
            <button class="button small" type="button" onClick={onRestore}>
              Back to the result of {sizeText(job.last.done.result.bytesAfter)}
            </button>
          )}
        </p>
      )}
    </div>
  );
}

/**
 * The smallest limit in thousands of bytes that the image fits into, if it exceeded the requested limit; otherwise
 * null.
 */
function fittingKilobytes({ code, smallestBytes }: Failure): number | null {
  if (code !== 'max_bytes_unreachable' || smallestBytes === undefined) return null;
  return Math.ceil(smallestBytes / 1000);
}

/** Height of a thumbnail in device pixels: twice the displayed size. */
const side = 80;

/** The last decoding job. Images are decoded one after the other, because each is decoded at full size. */
let lastJob: Promise<unknown> = Promise.resolve();

function smallBitmap(blob: Blob): Promise<ImageBitmap> {
  const decoded = lastJob.then(() =>
    createImageBitmap(blob, { resizeHeight: side, resizeQuality: 'medium' }),
  );
  lastJob = decoded.catch(() => {});
  return decoded;
}

/** A thumbnail of a file; an icon until it is drawn, and if the browser cannot decode the image. */
function Thumbnail({ file }: { file: Blob }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => {
    let isOver = false;
    const draw = (bitmap: ImageBitmap) => {
      const target = canvas.current;
      if (!isOver && target) {
        target.width = bitmap.width;
        target.height = bitmap.height;
        target.getContext('2d')?.drawImage(bitmap, 0, 0);
        setDrawn(true);
      }
      bitmap.close();
    };
    smallBitmap(file).then(draw, () => {});
    return () => {
      isOver = true;
    };
  }, [file]);
  return (
    <span class="thumbnail">
      <canvas ref={canvas} width={1} height={1} hidden={!isDrawn} />
      {!isDrawn && <Icon name="image" />}
    </span>
  );
}

/** Line icons of 20 × 20 pixels in the color of the text. The buttons that contain them have text labels. */
const paths = {
  download: 'M10 3v9m0 0 3.5-3.5M10 12 6.5 8.5M4 15.5h12',
  remove: 'M5 5l10 10M15 5 5 15',
  compare: 'M10 3v14M4 5h4v10H4zM12 5h4v10h-4z',
  image: 'M3.5 4.5h13v11h-13zM3.5 13l4-4 3.5 3.5 2-2 3.5 3.5M12.5 8h.01',
} as const;

function Icon({ name }: { name: keyof typeof paths }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
