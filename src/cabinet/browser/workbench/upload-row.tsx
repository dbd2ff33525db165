import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { changeText, sizeChangeText, sizeText } from '../../text/formatting.ts';
import { durationText, type Failure } from '../api/failure.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { useBlobUrl } from './blob-url.ts';
import { Icon } from './icons.tsx';
import { isHeld, isTransient, type Upload } from './queue.ts';
import { hdrText, type Result, reasonText, typeText } from './result.ts';
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
  /** Sends it again, no wider than so many pixels. */
  readonly onReduce: (width: number) => void;
  /** Goes back to the last result. */
  readonly onRestore: () => void;
}

type FailureActions = Pick<RowActions, 'onRetry' | 'onReduce' | 'onRestore'>;

/** An uploaded file in one line, with its progress or result. */
export function UploadRow({
  upload,
  now,
  onRetry,
  onRemove,
  onView,
  onSaved,
  onReduce,
  onRestore,
  isHalted,
}: RowActions & { upload: Upload; now: number; isHalted: boolean }) {
  const row = useRef<HTMLLIElement>(null);
  const { state, file, path } = upload;
  // the button that was pressed is removed
  const refocused = (act: () => void) => () => {
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
        onRetry={refocused(onRetry)}
        onReduce={(width) => refocused(() => onReduce(width))()}
        onRestore={refocused(onRestore)}
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
  onReduce,
  onRestore,
  isHalted,
}: FailureActions & { upload: Upload; now: number; isHalted: boolean }) {
  const { state, file } = upload;
  switch (state.kind) {
    case 'refused':
      return <Told>{state.reason}</Told>;
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
        <Told>
          The service is busy. Retrying in{' '}
          {durationText(Math.max(1, Math.ceil((state.until - now) / 1000)))}.
        </Told>
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
          onReduce={onReduce}
          onRestore={onRestore}
        />
      );
    case 'done':
      return <Outcome result={state.result} />;
  }
}

/** A warning, in lines of its own below the name. */
function Told({ children }: { children: ComponentChildren }) {
  return <p class="upload-told notice warn">{children}</p>;
}

/** What is left of an image that has become notably smaller. */
const notable = 0.9;

/** Sizes before and after, as text and as a bar. */
function Outcome({ result }: { result: Result }) {
  const { bytesBefore, bytesAfter, isSmaller, type } = result;
  const hdr = hdrText(result.hdr);
  const reason = reasonText(result);
  return (
    <>
      <p class="upload-sizes" title={[typeText(type), hdr].filter(Boolean).join(', ')}>
        {sizeChangeText(bytesBefore, bytesAfter)}
      </p>
      <span class="upload-bar" aria-hidden="true">
        <span style={{ width: `${Math.min(100, (100 * bytesAfter) / bytesBefore)}%` }} />
      </span>
      <span class={isSmaller && bytesAfter < notable * bytesBefore ? 'badge saved' : 'badge off'}>
        {changeText(bytesBefore, bytesAfter)}
      </span>
      {reason && <p class="upload-told soft">{reason}</p>}
      {hdr && <p class="upload-told soft">{hdr}.</p>}
    </>
  );
}

/** Why an upload failed, and what can be done. Not an alert: many may fail at once, and are announced together. */
function Failed({
  upload,
  failure,
  onRetry,
  onReduce,
  onRestore,
}: FailureActions & { upload: Upload; failure: Failure }) {
  const width = smallerWidth(failure, upload.query ?? '');
  return (
    <div class="upload-told">
      <FailureNotice
        failure={failure}
        isAlert={false}
        onRetry={isTransient(failure) ? onRetry : undefined}
      />
      {(width !== null || upload.last !== null) && (
        <p class="cluster">
          {width !== null && (
            <button class="button small" type="button" onClick={() => onReduce(width)}>
              Resize to {width} px and convert
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
