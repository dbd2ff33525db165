import { imageTypes } from '../../image/inspect/inspection.ts';
import type { OwnHeader } from '../contracts/headers.ts';

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const pixels = { type: 'integer', minimum: 1 } as const;

/** What the OpenAPI document says of the headers that come with a picture. */
export const answerHeaders = {
  'Content-Length': {
    description: 'Size of the result in bytes.',
    required: true,
    schema: count,
    example: 653067,
  },
  'Content-Disposition': {
    description:
      'A file name whose extension fits the type: that of the file or URL that was sent, otherwise `image`.',
    required: true,
    schema: text,
    example: 'inline; filename="photo.jpg"',
  },
  'Image-Width': {
    description: 'Width of the result in pixels, upright.',
    required: true,
    schema: pixels,
    example: 4032,
  },
  'Image-Height': {
    description: 'Height of the result in pixels, upright.',
    required: true,
    schema: pixels,
    example: 3024,
  },
  'Image-Input-Type': {
    description: 'Media type of the source, as its bytes say.',
    required: true,
    schema: { type: 'string', enum: imageTypes.map((type) => `image/${type}`) },
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
      'The quality that was used: a figure, `lossless`, or `original` when the coded picture was not touched.',
    required: true,
    schema: { type: 'string', pattern: '^(?:lossless|original|[1-9]\\d?|100)$' },
    example: '77',
  },
  'Image-Optimized': {
    description:
      'Whether the result is at least 1 % smaller than the source. Only then the file is charged.',
    required: true,
    schema: { type: 'boolean' },
    example: true,
  },
  'Image-Reason': {
    description:
      'Only with `Image-Optimized: false`, why. `already-optimal`: nothing smaller was found. `animated`: animations come back as they are. `larger-format`: the format or size that was asked for took more bytes.',
    required: false,
    schema: { type: 'string', enum: ['already-optimal', 'animated', 'larger-format'] },
    example: 'already-optimal',
  },
  'Quota-Remaining': {
    description: 'Files left after this one, free and paid.',
    required: true,
    schema: count,
    example: 499,
  },
  'Server-Timing': {
    description: '`optimize`: milliseconds of work, as far as the platform’s clock tells.',
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
} satisfies Record<string, OwnHeader>;
