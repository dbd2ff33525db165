import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { inputFacts } from '../../../image/formats/facts.ts';
import { handlePageFiles, selectionOf } from '../parts/page-files.ts';
import type { Selection } from './chosen-files.ts';

export const chooserId = 'choose-images';

const mediaTypes = inputFacts.flatMap((facts) => [facts.mediaType, ...facts.otherMediaTypes]);

/** An attribute that Preact's types do not have. */
function asFolderChooser(input: HTMLInputElement | null): void {
  if (input) input.webkitdirectory = true;
}

/**
 * Takes images that are chosen, dropped anywhere on the page, or pasted. On touch-only devices, styles hide everything
 * except the chooser.
 */
export function DropZone({
  isBar,
  notice,
  onSelection,
}: {
  /** Whether there are images already, so that the zone takes only one line. */
  isBar: boolean;
  /** What was not taken of the latest selection. */
  notice: string;
  onSelection: (selection: Selection) => void;
}) {
  const [isDragging, setDragging] = useState(false);
  const hintId = useId();
  const latest = useRef(onSelection);
  latest.current = onSelection;

  // With the first rendering, so that there is no time in which nobody takes dropped files.
  useLayoutEffect(() => {
    const listeners = new AbortController();
    handlePageFiles(
      { onDragging: setDragging, onFiles: (selection) => latest.current(selection) },
      listeners.signal,
    );
    return () => listeners.abort();
  }, []);

  function choose(input: HTMLInputElement) {
    const selection = selectionOf(input);
    if (selection) onSelection(selection);
  }

  return (
    <div class={`drop-zone ${isBar ? 'as-bar' : ''} ${isDragging ? 'over' : ''}`}>
      {!isBar && <p class="drop-call for-pointers">Drop images here. See what’s left to save.</p>}
      <div class="cluster">
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
            onChange={(event) => choose(event.currentTarget)}
          />
        </div>
        <label class="button folder-chooser for-pointers">
          Choose folder
          <input
            type="file"
            ref={asFolderChooser}
            onChange={(event) => choose(event.currentTarget)}
          />
        </label>
      </div>
      <p id={hintId}>
        <span class="for-pointers">{isBar ? 'Drop or paste more. ' : 'Or paste one. '}</span>
        <span class="soft">Your images stay on this device.</span>
      </p>
      <p role="status">{notice}</p>
    </div>
  );
}
