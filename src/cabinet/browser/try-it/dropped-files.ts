import { countText } from '../../text/sizes.ts';
import { isPicture } from './refusal.ts';

/** A folder that holds more is taken in part; thousands of rows help nobody. */
export const mostFromFolders = 500;

/** What is needed of the browser's File and Directory Entries API. */
export interface Entry {
  readonly name: string;
  readonly isDirectory: boolean;
}

interface FileEntry extends Entry {
  file(take: (file: File) => void, fail: () => void): void;
}

interface FolderEntry extends Entry {
  createReader(): {
    readEntries(take: (entries: readonly Entry[]) => void, fail: () => void): void;
  };
}

interface Item {
  readonly kind: string;
  webkitGetAsEntry(): Entry | null;
  getAsFile(): File | null;
}

export interface Dropped {
  readonly files: readonly File[];
  /** How many more pictures the folders hold. */
  readonly leftOut: number;
}

/** What was dropped: files as they are, of folders the pictures in them. */
export async function droppedFiles(transfer: { items: Iterable<Item> }): Promise<Dropped> {
  // the list is empty after the first pause, so everything is taken out of it at once
  const entries = [...transfer.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const files: File[] = [];
  const pictures: FileEntry[] = [];
  for (const { entry, file } of entries) {
    if (entry?.isDirectory) await findPictures(entry as FolderEntry, pictures);
    else if (file) files.push(file);
  }
  const taken = await Promise.all(pictures.slice(0, mostFromFolders).map(fileOf));
  return {
    files: [...files, ...taken.filter((file) => file !== null)],
    leftOut: Math.max(0, pictures.length - mostFromFolders),
  };
}

/** What is to be said of a drop, where it is not what people expect; else nothing. */
export function remarkOn({ files, leftOut }: Dropped): string {
  if (files.length === 0) return 'There are no pictures in this folder.';
  if (leftOut === 0) return '';
  return `${countText(mostFromFolders)} pictures were taken, ${countText(leftOut)} more were left out. Drop smaller folders to send them.`;
}

async function findPictures(folder: FolderEntry, found: FileEntry[]): Promise<void> {
  const reader = folder.createReader();
  for (;;) {
    // comes in portions; an empty one is the end
    const entries = await new Promise<readonly Entry[]>((resolve) => {
      reader.readEntries(resolve, () => resolve([]));
    });
    if (entries.length === 0) return;
    for (const entry of entries) {
      if (entry.isDirectory) await findPictures(entry as FolderEntry, found);
      else if (!entry.name.startsWith('.') && isPicture({ name: entry.name, type: '' })) {
        found.push(entry as FileEntry);
      }
    }
  }
}

function fileOf(entry: FileEntry): Promise<File | null> {
  return new Promise((resolve) => {
    entry.file(resolve, () => resolve(null));
  });
}
