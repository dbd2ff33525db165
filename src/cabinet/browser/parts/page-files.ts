import type { Entry, Selection } from '../workbench/chosen-files.ts';

interface TransferItem {
  readonly kind: string;
  webkitGetAsEntry(): Entry | null;
  getAsFile(): File | null;
}

interface PageFileHandlers {
  /** Called with true while files are dragged over the page, and with false if they leave or are dropped. */
  readonly onDragging: (isDragging: boolean) => void;
  readonly onFiles: (selection: Selection) => void;
}

/** Handles files that are dropped anywhere on the page, or pasted, until the signal is aborted. */
export function handlePageFiles(
  { onDragging, onFiles }: PageFileHandlers,
  signal: AbortSignal,
): void {
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  const over = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    // Otherwise, the browser would open the file in place of the page.
    event.preventDefault();
    onDragging(true);
  };
  const leave = ({ relatedTarget }: DragEvent) => relatedTarget === null && onDragging(false);
  const drop = (event: DragEvent) => {
    onDragging(false);
    if (!hasFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    onFiles(dropOf(event.dataTransfer.items));
  };
  const paste = (event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    onFiles({ kind: 'files', files });
  };
  document.addEventListener('dragover', over, { signal });
  document.addEventListener('dragleave', leave, { signal });
  document.addEventListener('drop', drop, { signal });
  document.addEventListener('paste', paste, { signal });
}

/** What was dropped. It is read at once, because browsers empty the list when the event is over. */
function dropOf(items: Iterable<TransferItem>): Selection {
  const files = [...items].filter(({ kind }) => kind === 'file');
  return {
    kind: 'drop',
    items: files.map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() })),
  };
}

/** What an input has, for files or for a folder; null if that is nothing. The same can be chosen again afterwards. */
export function selectionOf(input: HTMLInputElement): Selection | null {
  const files = [...(input.files ?? [])];
  input.value = '';
  if (files.length === 0) return null;
  return { kind: input.webkitdirectory ? 'folder' : 'files', files };
}
