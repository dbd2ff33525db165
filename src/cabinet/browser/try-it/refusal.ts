import { largerSizeText, sizeText } from '../../text/sizes.ts';

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
export function isPicture({ name, type }: Pick<FileFacts, 'name' | 'type'>): boolean {
  return type.startsWith('image/') || pictureNames.test(name);
}
