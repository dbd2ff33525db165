import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { droppedFiles, largestPicture, noticeFor } from './chosen-files.ts';

export const chooserId = 'choose-pictures';

/** Takes pictures: chosen, dropped anywhere on the page, or pasted. */
export function DropZone({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const [isOver, setOver] = useState(false);
  /** What became of folders, when it is not what people expect. */
  const [notice, setNotice] = useState('');
  const hintId = useId();
  const take = useRef(onFiles);
  take.current = onFiles;

  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      // without it the browser would leave the page and show the file
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const drop = async (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      setNotice('');
      const dropped = await droppedFiles(event.dataTransfer);
      setNotice(noticeFor(dropped));
      if (dropped.files.length > 0) take.current(dropped.files);
    };
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      take.current(files);
    };
    const listeners = new AbortController();
    const { signal } = listeners;
    document.addEventListener('dragover', over, { signal });
    document.addEventListener('dragleave', leave, { signal });
    document.addEventListener('drop', drop, { signal });
    document.addEventListener('paste', paste, { signal });
    return () => listeners.abort();
  }, []);

  return (
    <div class={`drop-zone ${isOver ? 'over' : ''}`}>
      <div class="chooser">
        <label class="button primary" for={chooserId}>
          Choose pictures
        </label>
        <input
          id={chooserId}
          type="file"
          multiple
          // phones then convert what else they have, such as HEIC
          accept="image/jpeg,image/png,image/apng,image/webp,image/avif"
          aria-describedby={hintId}
          onChange={(event) => {
            const files = [...(event.currentTarget.files ?? [])];
            // the same file may be chosen again
            event.currentTarget.value = '';
            if (files.length > 0) onFiles(files);
          }}
        />
      </div>
      <p id={hintId}>
        or drop them here, or paste one.{' '}
        <span class="soft">JPEG, PNG, WebP or AVIF, {largestPicture} MiB each at most.</span>
      </p>
      <p role="status">{notice}</p>
    </div>
  );
}
