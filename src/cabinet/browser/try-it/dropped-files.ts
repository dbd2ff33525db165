import { isPicture } from './refusal.ts';

/** A folder that holds more is shown in part; thousands of rows help nobody. */
const mostFromFolders = 500;

/** What was dropped: files as they are, of folders the pictures in them. */
export async function droppedFiles(transfer: DataTransfer): Promise<readonly File[]> {
  // the list is empty after the first pause, so everything is taken out of it at once
  const entries = [...transfer.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const found: File[] = [];
  for (const { entry, file } of entries) {
    if (entry?.isDirectory) await addPictures(entry as FileSystemDirectoryEntry, found);
    else if (file) found.push(file);
  }
  return found;
}

async function addPictures(folder: FileSystemDirectoryEntry, found: File[]): Promise<void> {
  const reader = folder.createReader();
  for (;;) {
    // comes in portions; an empty one is the end
    const entries = await new Promise<readonly FileSystemEntry[]>((resolve) => {
      reader.readEntries(resolve, () => resolve([]));
    });
    if (entries.length === 0) return;
    for (const entry of entries) {
      if (found.length >= mostFromFolders) return;
      if (entry.isDirectory) await addPictures(entry as FileSystemDirectoryEntry, found);
      else if (!entry.name.startsWith('.')) {
        const file = await fileOf(entry as FileSystemFileEntry);
        if (file && isPicture(file)) found.push(file);
      }
    }
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File | null> {
  return new Promise((resolve) => {
    entry.file(resolve, () => resolve(null));
  });
}
