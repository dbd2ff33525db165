import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { inputFacts } from '../../../image/formats/facts.ts';
import { handlePageFiles } from '../parts/page-files.ts';
import {
  type ChosenFile,
  chosen,
  droppedFiles,
  noticeFor,
  supportedNames,
} from './chosen-files.ts';

export const chooserId = 'choose-images';

const mediaTypes = inputFacts.flatMap((facts) => [facts.mediaType, ...facts.otherMediaTypes]);

/**
 * Takes images that are chosen, dropped anywhere on the page, or pasted. On touch-only devices, styles hide everything
 * except the chooser.
 */
export function DropZone({
  isBar,
  maxMiB,
  onFiles,
}: {
  /** Whether there are images already, so that the zone takes only one line. */
  isBar: boolean;
  /** Maximum size of an image. */
  maxMiB: number;
  onFiles: (files: readonly ChosenFile[]) => void;
}) {
  const [isDragging, setDragging] = useState(false);
  /** Shown if a dropped folder was not taken completely. */
  const [notice, setNotice] = useState('');
  const hintId = useId();
  const latestOnFiles = useRef(onFiles);
  latestOnFiles.current = onFiles;

  useEffect(() => {
    const drop = async (transfer: DataTransfer) => {
      setNotice('');
      const dropped = await droppedFiles(transfer);
      setNotice(noticeFor(dropped));
      if (dropped.files.length > 0) latestOnFiles.current(dropped.files);
    };
    const listeners = new AbortController();
    handlePageFiles(
      {
        onDragging: setDragging,
        onDrop: drop,
        onPaste: (files) => latestOnFiles.current(chosen(files)),
      },
      listeners.signal,
    );
    return () => listeners.abort();
  }, []);

  return (
    <div class={`drop-zone ${isBar ? 'as-bar' : ''} ${isDragging ? 'over' : ''}`}>
      {!isBar && <p class="drop-call for-pointers">Drop images here. See what’s left to save.</p>}
      <div class="chooser">
        <label class="button primary" for={chooserId}>
          Choose images
        </label>
        <input
          id={chooserId}
          type="file"
          multiple
          // makes phones convert other formats, such as HEIC
          accept={mediaTypes.join()}
          aria-describedby={hintId}
          onChange={(event) => {
            const files = [...(event.currentTarget.files ?? [])];
            // Lets the user choose the same file again.
            event.currentTarget.value = '';
            if (files.length > 0) onFiles(chosen(files));
          }}
        />
      </div>
      <p id={hintId}>
        <span class="for-pointers">{isBar ? 'Drop or paste more, ' : 'Or paste one. '}</span>
        <span class="soft">
          {supportedNames}, up to {maxMiB} MiB each
          {!isBar && <span class="for-pointers">, whole folders too</span>}.
        </span>
      </p>
      <p role="status">{notice}</p>
    </div>
  );
}
