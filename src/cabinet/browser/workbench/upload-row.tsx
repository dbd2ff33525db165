import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { countText, sizeText } from '../../text/formatting.ts';
import { durationText, type Failure } from '../api/failure.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { useBlobUrl } from './blob-url.ts';
import { Icon } from './icons.tsx';
import { withMaxBytes, withWidth } from './options.ts';
import { Outcome } from './outcome.tsx';
import { isHeld, isTransient, type Upload } from './queue.ts';
import type { Result } from './result.ts';
import { smallerWidth } from './smaller-width.ts';
import { Thumbnail } from './thumbnail.tsx';

export function removeButtonId(id: number): string {
  return `remove-${id}`;
}

interface RowActions {
  readonly onRetry: () => void;
  readonly onRemove: () => void;
  readonly onView: () => void;
  readonly onSaved: () => void;
  /** Optimizes the image again with other options, given as a query. */
  readonly onVary: (query: string) => void;
  /** Restores the previous result. */
  readonly onRestore: () => void;
}

type StateActions = Pick<RowActions, 'onRetry' | 'onVary' | 'onRestore'>;

/** An uploaded file in one line, with its progress or result. */
export function UploadRow({
  upload,
  now,
  onRetry,
  onRemove,
  onView,
  onSaved,
  onVary,
  onRestore,
  isHalted,
}: RowActions & { upload: Upload; now: number; isHalted: boolean }) {
  const row = useRef<HTMLLIElement>(null);
  const { state, file, path } = upload;
  // The pressed button is removed, so the focus moves to the row.
  const focusRowThen = (act: () => void) => () => {
    row.current?.focus();
    act();
  };
  const name = <bdi>{file.name}</bdi>;
  return (
    <li class="upload" ref={row} tabIndex={-1}>
      {state.kind === 'done' ? (
        <button class="upload-view" type="button" onClick={onView}>
          <Thumbnail file={file} />
          <Icon name="compare" />
          <span class="visually-hidden">Compare {name} before and after</span>
        </button>
      ) : (
        <Thumbnail file={file} />
      )}
      <h3 class="upload-name" title={path}>
        {name}
      </h3>
      <State
        upload={upload}
        now={now}
        onRetry={focusRowThen(onRetry)}
        onVary={(query) => focusRowThen(() => onVary(query))()}
        onRestore={focusRowThen(onRestore)}
        isHalted={isHalted}
      />
      <span class="upload-actions">
        {state.kind === 'done' ? (
          <DownloadLink result={state.result} isSaved={upload.isSaved} onSaved={onSaved} />
        ) : (
          <span class="download-place" />
        )}
        <button
          class="button quiet small icon-button"
          type="button"
          id={removeButtonId(upload.id)}
          onClick={onRemove}
        >
          <Icon name="remove" />
          <span class="visually-hidden">Remove {name}</span>
        </button>
      </span>
    </li>
  );
}

function DownloadLink({
  result: { blob, fileName },
  isSaved,
  onSaved,
}: {
  result: Result;
  isSaved: boolean;
  onSaved: () => void;
}) {
  const url = useBlobUrl(blob);
  if (url === null) return <span class="download-place" />;
  return (
    <a
      class={`button small icon-button ${isSaved ? 'quiet' : ''}`}
      href={url}
      download={fileName}
      onClick={onSaved}
    >
      <Icon name="download" />
      <span class="visually-hidden">
        Download <bdi>{fileName}</bdi>
      </span>
    </a>
  );
}

function State({
  upload,
  now,
  onRetry,
  onVary,
  onRestore,
  isHalted,
}: StateActions & { upload: Upload; now: number; isHalted: boolean }) {
  const { state, file } = upload;
  switch (state.kind) {
    case 'refused':
      return <Warning>{state.reason}</Warning>;
    case 'waiting':
      return (
        <p class="upload-state soft">
          {isHeld(upload)
            ? 'Not sent yet: the options were invalid.'
            : isHalted
              ? 'Not sent.'
              : 'Waiting…'}
        </p>
      );
    case 'pausing':
      return (
        <Warning>
          The service is busy. Retrying in{' '}
          {durationText(Math.max(1, Math.ceil((state.until - now) / 1000)))}.
        </Warning>
      );
    case 'sending':
      return (
        <div class="upload-state progress-line">
          <progress
            class="bar"
            {...(state.share < 1 && { value: state.share })}
            aria-label={`${state.share < 1 ? 'Uploading' : 'Optimizing'} ${file.name}`}
          />
          <span class="soft">
            {state.share < 1 ? `Uploading, ${Math.floor(state.share * 100)}%` : 'Optimizing…'}
          </span>
        </div>
      );
    case 'failed':
      return (
        <Failed
          upload={upload}
          failure={state.failure}
          onRetry={onRetry}
          onVary={onVary}
          onRestore={onRestore}
        />
      );
    case 'done':
      return <Outcome upload={upload} result={state.result} onVary={onVary} />;
  }
}

/** A warning on lines of its own below the name. */
function Warning({ children }: { children: ComponentChildren }) {
  return <p class="upload-told notice warn">{children}</p>;
}

/**
 * Why an upload failed, and what can be done. It is not an alert: many uploads may fail at once, and are announced
 * together.
 */
function Failed({
  upload,
  failure,
  onRetry,
  onVary,
  onRestore,
}: StateActions & { upload: Upload; failure: Failure }) {
  const query = upload.query ?? '';
  const width = smallerWidth(failure, query);
  const kilobytes = fittingKilobytes(failure);
  return (
    <div class="upload-told">
      <FailureNotice
        failure={failure}
        isAlert={false}
        onRetry={isTransient(failure) ? onRetry : undefined}
      />
      {(width !== null || kilobytes !== null || upload.last !== null) && (
        <p class="cluster">
          {width !== null && (
            <button
              class="button small"
              type="button"
              onClick={() => onVary(withWidth(query, width))}
            >
              Resize to {width} px and convert
            </button>
          )}
          {kilobytes !== null && (
            <button
              class="button small"
              type="button"
              onClick={() => onVary(withMaxBytes(query, 1000 * kilobytes))}
            >
              Allow {countText(kilobytes)} KB
            </button>
          )}
          {upload.last !== null && (
            <button class="button small" type="button" onClick={onRestore}>
              Keep the result with {sizeText(upload.last.done.result.bytesAfter)}
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
