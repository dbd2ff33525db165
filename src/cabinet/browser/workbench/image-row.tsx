import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { countText, sizeText } from '../../text/formatting.ts';
import { durationText, type Failure } from '../api/failure.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { useBlobUrl } from './blob-url.ts';
import { smallerWidth, withMaxBytes, withWidth } from './options.ts';
import { Outcome } from './outcome.tsx';
import { isHeld, isTransient, type Upload } from './queue.ts';
import type { Result } from './result.ts';

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
