import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { changeText, sizeText } from '../../text/formatting.ts';
import { download } from './blob-url.ts';
import { otherFormats, withFormat } from './options.ts';
import type { Upload } from './queue.ts';
import { type Result, typeText } from './result.ts';
import { Stage } from './stage.tsx';
import type { UploadStore } from './upload-store.ts';

/** A finished upload on the whole screen: before and after in the same place, at any scale. */
export function Viewer({
  upload,
  store,
  onClose,
}: {
  upload: Upload;
  store: UploadStore;
  onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { state, file } = upload;
  // While another format is being made, the last result stays visible.
  const [shown, setShown] = useState<Result | null>(state.kind === 'done' ? state.result : null);
  const problem = state.kind === 'failed' ? state.failure : store.queue.halted;
  const latest = state.kind === 'done' ? state.result : null;
  useEffect(() => {
    if (latest) setShown(latest);
  }, [latest]);
  useLayoutEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      class="viewer"
      ref={dialog}
      aria-label={`${file.name}, before and after`}
      onClose={onClose}
    >
      <button
        class="button small viewer-close"
        type="button"
        onClick={() => dialog.current?.close()}
      >
        Close
      </button>
      {shown && <Stage file={file} result={shown} />}
      <div class="viewer-foot">
        <Chips upload={upload} store={store} />
        {problem && <p role="alert">{problem.message}</p>}
        {latest && (
          <button
            class="button primary"
            type="button"
            onClick={() => {
              download(latest.blob, latest.fileName);
              store.markSaved([upload.id]);
            }}
          >
            Download {typeText(latest.type)}, {sizeText(latest.bytesAfter)}
          </button>
        )}
      </div>
    </dialog>
  );
}

/** The output formats available for the image, each with its size once known. */
function Chips({ upload, store }: { upload: Upload; store: UploadStore }) {
  const { id, query, state, file } = upload;
  const current = query ?? '';
  const results = store.resultsOf(id);
  const [known] = results.values();
  const others = otherFormats(file.type, known?.result.frames ?? null, current);
  return (
    <fieldset class="chips">
      <legend class="visually-hidden">Format</legend>
      <span class="soft">
        Original <strong>{sizeText(file.size)}</strong>
      </span>
      {[null, ...others].map((facts) => {
        const varied = withFormat(current, facts?.type ?? 'keep');
        const knownResult = results.get(varied)?.result;
        const isChosen = varied === current;
        const isBusy = isChosen && state.kind !== 'done' && state.kind !== 'failed';
        return (
          <button
            key={facts?.type ?? 'keep'}
            class="chip"
            type="button"
            aria-pressed={isChosen}
            aria-busy={isBusy}
            onClick={() => isChosen || store.vary(id, varied)}
          >
            {facts?.name ?? typeText(file.type)}{' '}
            <span>
              {knownResult
                ? `${sizeText(knownResult.bytesAfter)}, ${changeText(knownResult.bytesBefore, knownResult.bytesAfter)}`
                : isBusy
                  ? '…'
                  : ''}
            </span>
          </button>
        );
      })}
    </fieldset>
  );
}
