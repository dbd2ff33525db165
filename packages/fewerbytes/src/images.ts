import { formatFacts } from '../../../src/image/formats/facts.ts';
import type { FormatFacts } from '../../../src/image/formats/format-facts.ts';

// What programs give as images, and what files are by their names and first bytes, after the formats of the engine.

/** An image as a program has it; a `File` is a `Blob`. */
export type ImageSource = Uint8Array | ArrayBuffer | Blob;

/**
 * The bytes of an image, in memory that other threads do not write to; a copy only where that is needed.
 * @throws TypeError if it is none; the error of a Blob that cannot be read
 */
export async function bytesOf(image: ImageSource): Promise<Uint8Array<ArrayBuffer>> {
  // By its name, because a frame or a test may have classes of its own.
  const name = Object.prototype.toString.call(image).slice('[object '.length, -1);
  switch (name) {
    case 'Uint8Array': {
      const { buffer, byteOffset, byteLength } = image as Uint8Array;
      return buffer instanceof ArrayBuffer
        ? new Uint8Array(buffer, byteOffset, byteLength)
        : Uint8Array.from(image as Uint8Array);
    }
    case 'ArrayBuffer':
      return new Uint8Array(image as ArrayBuffer);
    case 'Blob':
    case 'File':
      return new Uint8Array(await (image as Blob).arrayBuffer());
    default: {
      const kind = typeof image === 'object' ? name : typeof image;
      const article = /^[aeio]/i.test(kind) ? 'an' : 'a';
      const found = image ? `${article} ${kind}` : kind.toLowerCase();
      throw new TypeError(`image must be a Uint8Array, ArrayBuffer or Blob, not ${found}`);
    }
  }
}

export type MediaType = (typeof formatFacts)[number]['mediaType'];

/** With media types that are no mere strings. */
const formats: readonly (FormatFacts & { readonly mediaType: MediaType })[] = formatFacts;

/** Detects the media type of an image that can be optimized from its first bytes; null if it is none. */
export function imageTypeOf(bytes: Uint8Array): MediaType | null {
  const format = formats.find(({ recognizes }) => recognizes(bytes));
  return format?.isInput ? format.mediaType : null;
}

/** Detects the media type from the first bytes; null if it is that of no format. */
export function typeOfBytes(bytes: Uint8Array): MediaType | null {
  return formats.find(({ recognizes }) => recognizes(bytes))?.mediaType ?? null;
}

/** The media type for a file name's extension; null if there is none or it is unknown. */
export function typeOfName(name: string): MediaType | null {
  return formatOfName(name)?.mediaType ?? null;
}

/** Whether a file name has the extension of a format whose files can be optimized. */
export function hasImageExtension(name: string): boolean {
  return formatOfName(name)?.isInput === true;
}

/** The format that an extension stands for, in upper or lower case. */
function formatOfName(name: string) {
  const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return formats.find(({ extensions }) => extensions.includes(extension));
}

/** Whether a media type, such as one that a server states, is that of a format. */
export function isMediaType(type: string): type is MediaType {
  return formats.some(({ mediaType }) => mediaType === type);
}

/** The short name of a media type, such as `jpeg`; an unknown one is returned as it is. */
export function formatName(mediaType: string): string {
  return formats.find((format) => format.mediaType === mediaType)?.type ?? mediaType;
}

/** The media type for a format's short name; null if unknown. */
export function typeOfFormat(name: string): MediaType | null {
  return formats.find(({ type }) => type === name)?.mediaType ?? null;
}

/**
 * The file name for a result. The extension changes only if the format does: a JPEG named `.png` keeps its name,
 * because other files refer to it.
 */
export function nameForType(name: string, before: string, after: string): string {
  const format = formats.find(({ mediaType }) => mediaType === after);
  if (before === after || !format) return name;
  return `${stemOf(name)}.${format.extensions[0]}`;
}

/** The file name for a result of a set: the width stands before the extension of its format. */
export function nameInSet(name: string, width: number, type: string): string {
  const format = formats.find(({ mediaType }) => mediaType === type);
  return `${stemOf(name)}-${width}.${format?.extensions[0]}`;
}

/** The name and width that a file name is made of if it is one for a result of a set; null otherwise. */
export function partsInSet(name: string): { readonly stem: string; readonly width: number } | null {
  const found = /^(.+)-(\d{1,5})$/s.exec(stemOf(name));
  return found?.[1] ? { stem: found[1], width: Number(found[2]) } : null;
}

/** A file name without its extension. */
export function stemOf(name: string): string {
  return name.replace(/\.[^./\\]*$/, '');
}
