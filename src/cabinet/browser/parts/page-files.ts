interface PageFileHandlers {
  /** Called with true while files are dragged over the page, and with false if they leave or are dropped. */
  readonly onDragging: (isDragging: boolean) => void;
  readonly onDrop: (transfer: DataTransfer) => void;
  readonly onPaste: (files: readonly File[]) => void;
}

/** Handles files that are dropped anywhere on the page, or pasted, until the signal is aborted. */
export function handlePageFiles(
  { onDragging, onDrop, onPaste }: PageFileHandlers,
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
    onDrop(event.dataTransfer);
  };
  const paste = (event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    onPaste(files);
  };
  document.addEventListener('dragover', over, { signal });
  document.addEventListener('dragleave', leave, { signal });
  document.addEventListener('drop', drop, { signal });
  document.addEventListener('paste', paste, { signal });
}
