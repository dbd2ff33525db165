import { sizeText } from '../../text/sizes.ts';

interface FileFacts {
  readonly name: string;
  /** Media type as the browser guesses it from the name; empty when it cannot. */
  readonly type: string;
  readonly size: number;
}

/** In MiB, as the API counts it. */
export const largestPicture = 32;

const mostBytes = largestPicture * 2 ** 20;
const pictureNames = /\.(?:jpe?g|jpe|jfif|a?png|webp|avif)$/i;

/** Why a file is not worth sending; null: the service decides. */
export function refusalOf({ name, type, size }: FileFacts): string | null {
  if (!isPicture({ name, type })) {
    return 'This is not a picture. JPEG, PNG, WebP and AVIF can be made smaller.';
  }
  if (size === 0) return 'This file is empty.';
  if (size > mostBytes) {
    return `This picture is too large: ${sizeText(size)}. A picture may have ${largestPicture} MiB (${sizeText(mostBytes)}).`;
  }
  return null;
}

/** Whether it looks like a picture, as far as can be told without opening it. */
export function isPicture({ name, type }: Pick<FileFacts, 'name' | 'type'>): boolean {
  return type.startsWith('image/') || pictureNames.test(name);
}
