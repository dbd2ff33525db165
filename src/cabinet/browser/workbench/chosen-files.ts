import { inputFacts, namesOf } from '../../../image/formats/facts.ts';
import { countText, filesText, largerSizeText, sizeText } from '../../text/formatting.ts';
import { type Failure, ownFailure } from '../api/failure.ts';

interface FileFacts {
  readonly name: string;
  /** Media type that the browser guesses from the name; empty if it cannot. */
  readonly type: string;
  readonly size: number;
}

/** What the API takes, in bytes. */
export const maxApiBytes = 32 * 2 ** 20;

/** What a page can hold besides its other images, in MiB. */
const maxMiB = 256;

const extensions: readonly string[] = inputFacts.flatMap((facts) => facts.extensions);

/** The supported formats, for a sentence: `JPEG, PNG, WebP or AVIF`. */
export const supportedNames = namesOf(inputFacts, 'or');

interface OtherFormat {
  readonly name: string;
  readonly types: RegExp;
  readonly names: RegExp;
  /** A sentence on how to get another format, after a space. */
  readonly advice?: string;
}

/** Common image formats, recognized by media type, and by name if the browser has no media type. */
const otherFormats: readonly OtherFormat[] = [
  { name: 'SVG', types: /^image\/svg\+xml$/, names: /\.svgz?$/i },
  {
    name: 'HEIC',
    types: /^image\/hei[cf](?:-sequence)?$/,
    names: /\.(?:hei[cf]s?|hif)$/i,
    advice: ' In an iPhone’s camera settings, “Most Compatible” makes JPEG.',
  },
  { name: 'TIFF', types: /^image\/tiff$/, names: /\.tiff?$/i },
  { name: 'JPEG XL', types: /^image\/jxl$/, names: /\.jxl$/i },
  { name: 'BMP', types: /^image\/(?:x-ms-)?bmp$/, names: /\.(?:bmp|dib)$/i },
];

const unsupportedFormats = otherFormats.filter(
  ({ name }) => !inputFacts.some((facts: { name: string }) => facts.name === name),
);

/** Why a file is rejected by its name, type or size; null if that depends on what is in it. */
export function refusalOf({ name, type, size }: FileFacts): string | null {
  const maxBytes = maxMiB * 2 ** 20;
  const other = unsupportedFormats.find(({ types, names }) =>
    type === '' ? names.test(name) : types.test(type),
  );
  if (other) {
    const { name: format, advice = '' } = other;
    return `${format} images aren’t supported. Choose ${supportedNames}.${advice}`;
  }
  if (!isImage({ name, type })) return `This isn’t an image. Choose ${supportedNames}.`;
  if (size === 0) return 'This file is empty.';
  if (size > maxBytes) {
    return `This image is too large: ${largerSizeText(size, maxBytes)}. The limit is ${maxMiB} MiB (${sizeText(maxBytes)}).`;
  }
  return null;
}

/** Whether a file looks like an image, judging by its name and media type. */
function isImage({ name, type }: Pick<FileFacts, 'name' | 'type'>): boolean {
  return type.startsWith('image/') || extensions.includes(extensionOf(name));
}

function extensionOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase();
}

/** Maximum number of images taken from dropped folders; thousands of rows would be useless. */
export const maxFromFolders = 500;

/** What someone has chosen, dropped or pasted. */
export type Selection =
  | { readonly kind: 'files'; readonly files: readonly File[] }
  /** All files of a folder. */
  | { readonly kind: 'folder'; readonly files: readonly File[] }
  | { readonly kind: 'drop'; readonly items: readonly DroppedItem[] };

/** A file or folder. */
interface DroppedItem {
  readonly entry: Entry | null;
  readonly file: File | null;
}

/** The part of the browser's File and Directory Entries API that is used here. */
export interface Entry {
  readonly name: string;
  /** Begins with a slash and the dropped folder. */
  readonly fullPath: string;
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

/**
 * A file and its path in the folder that was dropped, such as `holiday/beach.jpg`; just its name if it was chosen
 * alone.
 */
export interface ChosenFile {
  readonly file: File;
  readonly path: string;
}

/** Files that were chosen individually. */
export function chosen(files: Iterable<File>): readonly ChosenFile[] {
  return Array.from(files, (file) => ({ file, path: file.name }));
}

interface Found {
  readonly files: readonly ChosenFile[];
  /** Number of further images in the folders that were not taken. */
  readonly leftOut: number;
  /** Number of files in the folders that are no images. */
  readonly skipped: number;
}

/** The files of a selection: files as they are, and the images found in folders. */
export async function filesIn(selection: Selection): Promise<Found> {
  switch (selection.kind) {
    case 'files':
      return { files: chosen(selection.files), leftOut: 0, skipped: 0 };
    case 'folder':
      return imagesOf(selection.files);
    case 'drop':
      return droppedFiles(selection.items);
  }
}

function imagesOf(files: readonly File[]): Found {
  const visible = files.filter(({ name }) => !name.startsWith('.'));
  const images = visible.filter(({ name }) => isImage({ name, type: '' }));
  return {
    skipped: visible.length - images.length,
    files: images.slice(0, maxFromFolders).map((file) => ({ file, path: pathOf(file) })),
    leftOut: Math.max(0, images.length - maxFromFolders),
  };
}

/** The path that the file has in the folder that was chosen. */
function pathOf(file: File & { readonly webkitRelativePath?: string }): string {
  return file.webkitRelativePath || file.name;
}

async function droppedFiles(items: readonly DroppedItem[]): Promise<Found> {
  const files: File[] = [];
  const found = { images: [] as FileEntry[], skipped: 0 };
  for (const { entry, file } of items) {
    if (entry?.isDirectory) await findImages(entry as FolderEntry, found);
    else if (file) files.push(file);
  }
  const { images, skipped } = found;
  const accepted = await Promise.all(images.slice(0, maxFromFolders).map(fileOf));
  return {
    files: [...chosen(files), ...accepted.filter((file) => file !== null)],
    leftOut: Math.max(0, images.length - maxFromFolders),
    skipped,
  };
}

/** A notice for a selection that was not taken completely; empty otherwise. */
export function noticeFor({ files, leftOut, skipped }: Found): string {
  if (files.length === 0) return 'There are no images in this folder.';
  if (leftOut === 0) {
    return skipped === 0
      ? ''
      : `Skipped ${filesText(skipped)} that ${skipped === 1 ? 'is not an image' : 'are not images'}.`;
  }
  return `${countText(maxFromFolders)} images were added, ${countText(leftOut)} more were left out. Take smaller folders to add the rest.`;
}

async function findImages(
  folder: FolderEntry,
  found: { readonly images: FileEntry[]; skipped: number },
): Promise<void> {
  const reader = folder.createReader();
  for (;;) {
    // returns entries in batches; an empty batch marks the end
    const entries = await new Promise<readonly Entry[]>((resolve) => {
      reader.readEntries(resolve, () => resolve([]));
    });
    if (entries.length === 0) return;
    for (const entry of entries) {
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory) await findImages(entry as FolderEntry, found);
      else if (isImage({ name: entry.name, type: '' })) found.images.push(entry as FileEntry);
      else found.skipped += 1;
    }
  }
}

function fileOf(entry: FileEntry): Promise<ChosenFile | null> {
  const path = entry.fullPath.replace(/^\/+/, '');
  return new Promise((resolve) => {
    entry.file(
      (file) => resolve({ file, path }),
      () => resolve(null),
    );
  });
}

/** The failure to report if a file was changed or removed after it was chosen, which browsers refuse to read. */
export async function changedFileFailure(file: Blob): Promise<Failure | null> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return null;
  } catch {
    const message = 'This file was changed or removed after you chose it. Choose it again.';
    return ownFailure('changed_file', message);
  }
}
