import { formats } from './formats.ts';

export type MediaType = keyof typeof formats;

const mediaTypes = Object.keys(formats) as MediaType[];

/** Detects the media type of an image that the service accepts from its first bytes; null if it is none. */
export function imageTypeOf(bytes: Uint8Array): MediaType | null {
  const type = typeOfBytes(bytes);
  return type !== null && formats[type].isInput ? type : null;
}

/** What files begin with, as Latin-1. */
const signatures: Readonly<Record<MediaType, (text: string) => boolean>> = {
  'image/jpeg': (text) => text.startsWith('\xff\xd8\xff'),
  'image/png': (text) => text.startsWith('\x89PNG\r\n\x1a\n'),
  'image/webp': (text) => /^RIFF.{4}WEBP/s.test(text),
  // major or compatible brand (ISO/IEC 14496-12 §4.3)
  'image/avif': (text) => /^.{4}ftyp.*avi[fs]/s.test(text),
  'image/gif': (text) => /^GIF8[79]a/.test(text),
  // codestream (ISO/IEC 18181-1) and container (18181-2)
  'image/jxl': (text) => /^(?:\xff\n|\0\0\0\fJXL \r\n\x87\n)/.test(text),
};

/** Detects the media type from the first bytes; null if it is none of `formats`. */
export function typeOfBytes(bytes: Uint8Array): MediaType | null {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 64));
  const text = start.toString('latin1');
  return mediaTypes.find((type) => signatures[type](text)) ?? null;
}

/** The media type for a file name's extension; null if there is none or it is unknown. */
export function typeOfName(name: string): MediaType | null {
  const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const named = (type: MediaType) => formats[type].extensions as readonly string[];
  return mediaTypes.find((type) => named(type).includes(extension)) ?? null;
}

export function isMediaType(type: string): type is MediaType {
  return Object.hasOwn(formats, type);
}

/** Whether a file name has the extension of a format that the service accepts. */
export function hasImageExtension(name: string): boolean {
  const type = typeOfName(name);
  return type !== null && formats[type].isInput;
}

/** The short name of a media type, such as `jpeg`; an unknown one is returned as it is. */
export function formatName(type: string): string {
  return isMediaType(type) ? formats[type].name : type;
}

/** The media type for a format's short name; null if unknown. */
export function typeOfFormat(name: string): MediaType | null {
  return (Object.keys(formats) as MediaType[]).find((type) => formats[type].name === name) ?? null;
}

/**
 * The file name for a result. The extension changes only if the format does: a JPEG named `.png` keeps its name,
 * because other files refer to it.
 */
export function nameForType(name: string, before: string, after: string): string {
  if (before === after || !isMediaType(after)) return name;
  return `${name.replace(/\.[^./\\]*$/, '')}.${formats[after].extensions[0]}`;
}
