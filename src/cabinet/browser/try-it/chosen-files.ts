import { countText, largerSizeText, sizeText } from '../../text/formatting.ts';
import type { Failure } from '../api/failure.ts';

interface FileFacts {
  readonly name: string;
  /** Media type as the browser guesses it from the name; empty when it cannot. */
  readonly type: string;
  readonly size: number;
}

/** In MiB, as the API counts it. */
export const largestPicture = 32;

const mostBytes = largestPicture * 2 ** 20;
const takenKinds = 'JPEG, PNG, WebP and AVIF can be made smaller.';
const pictureNames = /\.(?:jpe?g|jpe|jfif|a?png|webp|avif)$/i;

/** What people take for a picture and the service does not read: by media type, and by name where browsers know no type. */
const otherKinds = [
  { name: 'GIF', types: /^image\/gif$/, names: /\.gif$/i },
  { name: 'SVG', types: /^image\/svg\+xml$/, names: /\.svgz?$/i },
  { name: 'HEIC', types: /^image\/hei[cf](?:-sequence)?$/, names: /\.(?:hei[cf]s?|hif)$/i },
  { name: 'TIFF', types: /^image\/tiff$/, names: /\.tiff?$/i },
  { name: 'JPEG XL', types: /^image\/jxl$/, names: /\.jxl$/i },
  { name: 'BMP', types: /^image\/(?:x-ms-)?bmp$/, names: /\.(?:bmp|dib)$/i },
] as const;

/** Why a file is not worth sending; null: the service decides. */
export function refusalOf({ name, type, size }: FileFacts): string | null {
  const other = otherKinds.find(({ types, names }) =>
    type === '' ? names.test(name) : types.test(type),
  );
  if (other) return `${other.name} pictures are not taken. ${takenKinds}`;
  if (!isPicture({ name, type })) return `This is not a picture. ${takenKinds}`;
  if (size === 0) return 'This file is empty.';
  if (size > mostBytes) {
    return `This picture is too large: ${largerSizeText(size, mostBytes)}. A picture may have ${largestPicture} MiB (${sizeText(mostBytes)}).`;
  }
  return null;
}

/** Whether it looks like a picture, as far as can be told without opening it. */
function isPicture({ name, type }: Pick<FileFacts, 'name' | 'type'>): boolean {
  return type.startsWith('image/') || pictureNames.test(name);
}

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

interface Dropped {
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
export function noticeFor({ files, leftOut }: Dropped): string {
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

/** The code of a file that cannot be read any more, which is the browser's own. */
const changedFile = 'changed_file';

/**
 * Browsers take a file as it was when it was chosen. When it has changed since,
 * sending fails in just the way in which it does without a connection, and
 * would for ever. Null: it can still be read, and something else was wrong.
 */
export async function changedFileFailure(file: Blob): Promise<Failure | null> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return null;
  } catch {
    const message = 'This file has changed or gone since it was chosen. Choose it again.';
    return { code: changedFile, message, fields: {}, retryAfter: null, requestId: null };
  }
}
