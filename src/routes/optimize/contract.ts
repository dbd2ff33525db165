import { createRoute, z } from '@hono/zod-openapi';
import type { ErrorCode } from '../../errors.ts';
import { imageTypes } from '../../image/inspect/inspection.ts';
import { headersWith } from '../contracts/headers.ts';
import { problemResponsesLike } from '../contracts/problem-responses.ts';
import { answerHeaders } from './answer-headers.ts';
import { bodyTooLarge } from './held-bytes.ts';
import { optionsSchema } from './options.ts';
import { noImage } from './raw-body.ts';
import { unreadable } from './refusals.ts';

/**
 * Raw bytes as OpenAPI 3.1 has them: a media type and no `type`, which would
 * speak of JSON. Readers offer a file for it, and generators a Blob; `format:
 * binary` was 3.0's word, and means nothing in JSON Schema 2020-12.
 */
const bytes = (contentMediaType: string) => ({ schema: { contentMediaType } });

const mediaTypes = imageTypes.map((type) => `image/${type}` as const);
const pictures = Object.fromEntries(mediaTypes.map((type) => [type, bytes(type)]));

const fileText = { description: 'The image, once.', contentMediaType: 'application/octet-stream' };
const fileField = z.string().openapi(fileText);

const sourceUrl = z.url().openapi({
  description:
    'Fetched by the service: https, port 443 or 80, no user name or password, a public host; at most 3 redirects to such URLs, 15 seconds and, decoded, 32 MiB.',
  example: 'https://images.example/photo.jpg',
});

/** Other than of calls that take JSON alone. */
const thrown = [noImage(), bodyTooLarge(), unreadable({ kind: 'unsupported', what: 'GIF' })];

/** What every caller may be answered besides the picture. */
const problems = [
  'invalid_request',
  'invalid_options',
  'source_not_allowed',
  'key_in_query',
  'quota_exceeded',
  'request_timeout',
  'body_too_large',
  'image_too_large',
  'unsupported_media_type',
  'invalid_image',
  'source_fetch_failed',
  'too_many_requests',
  'internal_error',
  'overloaded',
] as const satisfies readonly ErrorCode[];

const exchange = {
  method: 'post',
  description: `One image in, a smaller one out, in the same call; nothing is stored. JPEG, PNG, WebP and AVIF of at most 32 MiB. There are three ways to send it:

- its bytes as the body, the options in the query; any \`Content-Type\` but the two below will do, since the bytes decide what it is;
- \`multipart/form-data\` with the image as \`file\` and the options as fields;
- JSON with the \`url\` of the image and the options beside it.

An option that is unknown or given twice is refused, and so is a query beside a form or JSON.

Without a change of format or size the result is never larger than the source. A file is charged only when \`Image-Optimized\` is \`true\`.`,
  request: {
    query: optionsSchema,
    body: {
      required: true,
      content: {
        'application/octet-stream': bytes('application/octet-stream'),
        ...pictures,
        'multipart/form-data': {
          schema: optionsSchema.extend({ file: fileField }),
          encoding: { file: { contentType: mediaTypes.join(', ') } },
        },
        'application/json': {
          schema: optionsSchema.extend({ url: sourceUrl }),
          example: { url: 'https://images.example/photo.jpg', format: 'webp', width: 800 },
        },
      },
    },
  },
} as const;

const picture = {
  description: 'The image.',
  headers: headersWith([], answerHeaders),
  content: pictures,
};

/** What POST /v1/optimize takes and gives, for the OpenAPI document. */
export const contract = createRoute({
  ...exchange,
  path: '/v1/optimize',
  operationId: 'optimize',
  tags: ['Optimize'],
  summary: 'Make one image smaller',
  security: [{ apiKey: [] }],
  responses: { 200: picture, ...problemResponsesLike(thrown, ...problems, 'invalid_api_key') },
});

/** The same for the cabinet, whose uploads count against the same quota. */
export const cabinetContract = createRoute({
  ...exchange,
  path: '/v1/me/optimize',
  operationId: 'optimizeSignedIn',
  tags: ['Account'],
  summary: 'Make one image smaller, signed in',
  security: [{ session: [] }],
  responses: {
    200: picture,
    ...problemResponsesLike(thrown, ...problems, 'auth_required', 'origin_not_allowed'),
  },
});
