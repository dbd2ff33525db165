import { createRoute, z } from '@hono/zod-openapi';
import { imageTypes } from '../../image/inspect/inspection.ts';
import { problemResponses } from '../contracts/problem-responses.ts';
import { optionsSchema } from './options.ts';

const binary = z.string().openapi({ format: 'binary' });
const pictures = Object.fromEntries(
  imageTypes.map((type) => [`image/${type}`, { schema: binary }]),
);
const integer = (description: string) => ({ description, schema: { type: 'integer' as const } });
const text = (description: string) => ({ description, schema: { type: 'string' as const } });

const sourceUrl = z.url().openapi({
  description:
    'Fetched by the service: https, port 443 or 80, no user name or password, a public host; at most 3 redirects to such URLs, 15 seconds and, decoded, 32 MiB.',
  example: 'https://images.example/photo.jpg',
});

const exchange = {
  method: 'post',
  description:
    'Send the bytes of an image as the body with options in the query; or a form with the image as `file` and options as fields; or JSON with the image’s `url` and options beside it. The bytes decide what the image is; 32 MiB at most.',
  request: {
    query: optionsSchema,
    body: {
      required: true,
      content: {
        'application/octet-stream': { schema: binary },
        ...pictures,
        'multipart/form-data': { schema: optionsSchema.extend({ file: binary }) },
        'application/json': { schema: optionsSchema.extend({ url: sourceUrl }) },
      },
    },
  },
  responses: {
    200: {
      description:
        'The image. Never larger than what came in unless a change of format was asked for.',
      headers: {
        'Image-Width': integer('Pixels, upright.'),
        'Image-Height': integer('Pixels, upright.'),
        'Image-Input-Type': text('Media type of what came in.'),
        'Image-Input-Bytes': integer('Size of what came in.'),
        'Image-Output-Bytes': integer('Size of the answer.'),
        'Image-Quality': text(
          'The figure used, `lossless`, or `original` when the coded picture was not touched.',
        ),
        'Image-Optimized': text(
          '`true` when the answer is at least 1 % smaller; only then it is charged.',
        ),
        'Image-Reason': text('Why not: `already-optimal`, `animated` or `larger-format`.'),
        'Content-Disposition': text('A file name whose extension fits the type.'),
        'Server-Timing': text(
          '`optimize`: milliseconds of work, as far as the platform’s clock tells.',
        ),
        Vary: text('`Accept`, under `format=auto`.'),
        'Quota-Remaining': integer('Files left after this one, free and paid.'),
        'Request-Id': text('Quote it when asking about this request.'),
      },
      content: pictures,
    },
    ...problemResponses(
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
    ),
  },
} as const;

/** What POST /v1/optimize takes and gives, for the OpenAPI document. */
export const contract = createRoute({
  ...exchange,
  path: '/v1/optimize',
  tags: ['Optimize'],
  summary: 'Make one image smaller',
  security: [{ apiKey: [] }],
  responses: { ...exchange.responses, ...problemResponses('invalid_api_key') },
});

/** The same for the cabinet, whose uploads count against the same quota. */
export const cabinetContract = createRoute({
  ...exchange,
  path: '/v1/me/optimize',
  tags: ['Account'],
  summary: 'Make one image smaller, signed in',
  security: [{ session: [] }],
  responses: {
    ...exchange.responses,
    ...problemResponses('auth_required', 'origin_not_allowed'),
  },
});
