import type { Optimized, Work } from '../../image/engine.ts';
import { factsOf, inputFacts } from '../../image/formats/facts.ts';
import type { OwnHeader } from '../http/openapi-parts.ts';

/** The `Image-*` headers and the standard headers of an image response. */
export function pictureHeaders(
  { inputType, inputBytes }: Pick<Work, 'inputType' | 'inputBytes'>,
  picture: Optimized,
  name: string | null,
): Record<string, string> {
  const { bytes, score, smallerAs, placeholder, hdr, frames, reason } = picture;
  return {
    'Content-Type': picture.mediaType,
    'Content-Length': String(bytes.length),
    'Content-Disposition': disposition('inline', name, picture.extension),
    'Cache-Control': 'no-store',
    'Image-Width': String(picture.width),
    'Image-Height': String(picture.height),
    'Image-Input-Type': factsOf(inputType).mediaType,
    'Image-Input-Bytes': String(inputBytes),
    'Image-Output-Bytes': String(bytes.length),
    'Image-Quality': String(picture.quality),
    ...(score !== null && { 'Image-Score': scoreText(score) }),
    ...(smallerAs && { 'Image-Smaller-As': smallerAs }),
    ...(hdr && { 'Image-HDR': hdr }),
    ...(placeholder && { 'Image-Placeholder': placeholder }),
    ...(frames > 1 && { 'Image-Frames': String(frames) }),
    'Image-Optimized': String(picture.optimized),
    ...(reason && { 'Image-Reason': reason }),
  };
}

/** The score with one decimal, as in the literature; `100` for lossless results. */
function scoreText(score: number): string {
  const text = score.toFixed(1);
  return text === '100.0' ? '100' : text;
}

/** The name of a file without its folders and extension; `image` if it has none. */
export function stemOf(name: string | null): string {
  const stem = (name ?? '')
    .replace(/^.*[/\\]/s, '')
    .replace(/\.[^.]*$/, '')
    .slice(0, 100);
  return stem.toWellFormed() || 'image';
}

/** RFC 6266: a plain ASCII name for old clients, and the exact name in addition (RFC 8187). */
export function disposition(
  how: 'inline' | 'attachment',
  name: string | null,
  extension: string,
): string {
  const stem = stemOf(name);
  const plain = stem.replace(/[^\w .-]/g, '_');
  const encoded = encodeURIComponent(stem).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  const extended = plain === stem ? '' : `; filename*=UTF-8''${encoded}.${extension}`;
  return `${how}; filename="${plain}.${extension}"${extended}`;
}

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const pixels = { type: 'integer', minimum: 1 } as const;

/** The headers of an image response, for the OpenAPI document. */
export const imageHeaders = {
  'Content-Length': {
    description: 'Size of the result in bytes.',
    required: true,
    schema: count,
    example: 653067,
  },
  'Content-Disposition': {
    description:
      'A file name with the extension of the result. The name is that of the file or URL that was sent, otherwise `image`.',
    required: true,
    schema: text,
    example: 'inline; filename="photo.jpg"',
  },
  'Image-Width': {
    description: 'Width of the upright result, in pixels.',
    required: true,
    schema: pixels,
    example: 4032,
  },
  'Image-Height': {
    description: 'Height of the upright result, in pixels.',
    required: true,
    schema: pixels,
    example: 3024,
  },
  'Image-Input-Type': {
    description: 'Media type of the source, read from its bytes.',
    required: true,
    schema: { type: 'string', enum: inputFacts.map(({ mediaType }) => mediaType) },
    example: 'image/jpeg',
  },
  'Image-Input-Bytes': {
    description: 'Size of the source in bytes.',
    required: true,
    schema: count,
    example: 1813003,
  },
  'Image-Output-Bytes': {
    description: 'Size of the result in bytes.',
    required: true,
    schema: count,
    example: 653067,
  },
  'Image-Quality': {
    description:
      'The quality used: a number, `lossless`, or `original` if the encoded image was not touched.',
    required: true,
    schema: { type: 'string', pattern: '^(?:lossless|original|[1-9]\\d?|100)$' },
    example: '77',
  },
  'Image-Score': {
    description:
      'How close the result looks to the source (rotated, reduced and flattened as requested), as a SSIMULACRA2 score. At 90 the two are indistinguishable even when flipping between them, at 70 differences are hard to notice. `100`: nothing visible has changed, as in a lossless result or an untouched one; a JPEG XL with all coefficients of its JPEG scores 90 to 97, because its decoders show them differently. That of an animation is the mean of up to eight of its frames. Absent where it is not measured, such as with a number as `quality`, and for images with a side of less than 8 pixels.',
    required: false,
    schema: { type: 'number', maximum: 100 },
    example: 77.4,
  },
  'Image-Smaller-As': {
    description:
      'The format that is estimated to take fewer bytes at the same score. Sent with a WebP or AVIF made from a JPEG, if it takes at least 3% more bytes than a JPEG would.',
    required: false,
    schema: { type: 'string', enum: ['jpeg'] },
    example: 'jpeg',
  },
  'Image-HDR': {
    description:
      'What became of the gain map that makes the source brighter on HDR screens; absent if it has none. `gain-map`: the result has it too. `dropped`: the result looks on HDR screens as it does on others.',
    required: false,
    schema: { type: 'string', enum: ['gain-map', 'dropped'] },
    example: 'gain-map',
  },
  'Image-Placeholder': {
    description:
      'The ThumbHash of the result in base64, with `placeholder=thumbhash`; that of an animation shows its first frame. Absent if the source has no pixels that could be read for it: an animated AVIF, or an HDR image (PQ, HLG).',
    required: false,
    schema: { type: 'string', pattern: '^[A-Za-z0-9+/]+=*$' },
    example: '1QcSHQRnh493V4dIh4eXh1h4kJUI',
  },
  'Image-Frames': {
    description:
      'How many frames the source has, if it is an animation; absent otherwise. The result may have fewer, since equal frames are merged.',
    required: false,
    schema: { type: 'integer', minimum: 2 },
    example: 24,
  },
  'Image-Optimized': {
    description:
      'Whether the result is at least 1% smaller than the source. Only then is the file charged.',
    required: true,
    schema: { type: 'boolean' },
    example: true,
  },
  'Image-Reason': {
    description:
      'Why `Image-Optimized` is `false`; absent otherwise. `already-optimal`: nothing smaller was found. `animated`: an animation of a kind that is not worked on, such as an animated AVIF. `larger-format`: the requested format or size took more bytes.',
    required: false,
    schema: { type: 'string', enum: ['already-optimal', 'animated', 'larger-format'] },
    example: 'already-optimal',
  },
  'Server-Timing': {
    description: '`optimize`: milliseconds of work, as far as the platform’s clock can tell.',
    required: true,
    schema: text,
    example: 'optimize;dur=257',
  },
  Vary: {
    description: '`Accept`, with `format=auto`.',
    required: false,
    schema: text,
    example: 'Accept',
  },
  'Quota-Remaining': {
    description: 'Files left after this one, free and paid.',
    required: true,
    schema: count,
    example: 499,
  },
} satisfies Record<string, OwnHeader>;
