import { useLayoutEffect, useRef } from 'preact/hooks';
import { sizeText } from '../../text/formatting.ts';
import { download } from './blob-url.ts';
import { Chips } from './chips.tsx';
import type { JobStore } from './job-store.ts';
import { type Job, resultOf } from './queue.ts';
import { typeText } from './result.ts';
import { Stage } from './stage.tsx';

/** An image on the whole screen: before and after in the same place, at any scale, and its formats. */
export function Viewer({
  job,
  store,
  onClose,
}: {
  job: Job;
  store: JobStore;
  onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { file, query } = job;
  // While another format is being made, the last result stays visible.
  const shown = resultOf(job);
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
      {shown && <Stage file={file} query={query} result={shown} />}
      <div class="viewer-foot">
        <Chips job={job} store={store} isAlone />
        {shown && (
          <button
            class="button primary"
            type="button"
            onClick={() => {
              download(shown.blob, shown.fileName);
              store.markSaved([shown]);
            }}
          >
            Download {typeText(shown.type)}, {sizeText(shown.bytesAfter)}
          </button>
        )}
      </div>
    </dialog>
  );
}
