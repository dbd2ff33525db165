import { z } from '@hono/zod-openapi';
import type { ErrorCode } from '../../errors.ts';
import { unsupportedType } from '../../image/engine.ts';
import { inputFacts } from '../../image/formats/facts.ts';
import type { FormatFacts } from '../../image/formats/format-facts.ts';
import { apiErrorOf } from '../http/problems.ts';
import { bodyTooLarge } from './held-body.ts';
import { noImage } from './raw-body.ts';

// What the contracts of routes that take an image have in common.

/**
 * Raw bytes in OpenAPI 3.1: a media type without `type`, which would describe JSON. Viewers offer a file input for it,
 * and generators a Blob. `format: binary` belongs to OpenAPI 3.0 and means nothing in JSON Schema 2020-12.
 */
const bytes = (contentMediaType: string) => ({ schema: { contentMediaType } });

export const picturesOf = (facts: readonly FormatFacts[]) =>
  Object.fromEntries(facts.map(({ mediaType }) => [mediaType, bytes(mediaType)]));

const fileText = {
  description: 'The image. Exactly one is required.',
  contentMediaType: 'application/octet-stream',
};

const sourceUrl = z.url().openapi({
  description:
    'Where the service fetches the image: an https URL with a public host, port 443 or 80, and no user name or password. At most 3 redirects to such URLs, 15 seconds, and 32 MiB after decoding.',
  example: 'https://images.example/photo.jpg',
});

/** The three ways to send an image, in words. */
export const waysToSend = `There are three ways to send the image:

- its bytes as the body, with the options in the query; any \`Content-Type\` other than those below will do, because the format is read from the bytes;
- \`multipart/form-data\` with the image as \`file\` and the options as fields;
- JSON with the \`url\` of the image and the options as further members.

An option that is unknown or given twice is rejected, and so is a query string together with a form or JSON.`;

/** The errors that an image, its options or its quota can lead to. */
export const imageProblems = [
  'invalid_request',
  'invalid_options',
  'request_timeout',
  'body_too_large',
  'image_too_large',
  'unsupported_media_type',
  'invalid_image',
  'max_bytes_unreachable',
  'source_not_allowed',
  'source_fetch_failed',
  'quota_exceeded',
  'key_limit_exceeded',
] as const satisfies readonly ErrorCode[];

/** Errors whose examples differ from those of routes that take only JSON. */
export const thrownForImages = () => [
  noImage(),
  bodyTooLarge(),
  apiErrorOf(unsupportedType('SVG')),
];

/**
 * The request of a route that takes an image.
 * @param options as they arrive in a form or JSON; in a query, all are optional, because they may stand in the body
 * @param example of the options in JSON
 * @param inJson options that may have another form in JSON
 */
export function imageRequest<Schema extends z.ZodObject>(
  options: Schema,
  example: Readonly<Record<string, unknown>>,
  inJson: Readonly<Record<string, z.ZodType>> = {},
) {
  return {
    query: options.partial(),
    body: {
      required: true,
      content: {
        'application/octet-stream': bytes('application/octet-stream'),
        ...picturesOf(inputFacts),
        'multipart/form-data': {
          schema: options.extend({ file: z.string().openapi(fileText) }),
          encoding: {
            file: { contentType: inputFacts.map(({ mediaType }) => mediaType).join(', ') },
          },
        },
        'application/json': {
          schema: options.extend({ ...inJson, url: sourceUrl }),
          example: { url: 'https://images.example/photo.jpg', ...example },
        },
      },
    },
  };
}
