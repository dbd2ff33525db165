import { z } from '@hono/zod-openapi';
import { unsupportedType } from '../image/engine.ts';
import { formatFacts, inputFacts, namesOf } from '../image/formats/facts.ts';
import type { FormatFacts } from '../image/formats/format-facts.ts';
import { newId } from '../store/database.ts';
import { createRouter, defineRoute, handleRaw } from './http/contract.ts';
import { refuseKey } from './http/credentials.ts';
import { headersWith } from './http/openapi-parts.ts';
import { apiErrorOf } from './http/problems.ts';
import { bodyTooLarge } from './optimize/held-body.ts';
import { optionsSchema } from './optimize/options.ts';
import { imageHeaders } from './optimize/picture-headers.ts';
import { noImage } from './optimize/raw-body.ts';
import { allowanceOf, reserveFile } from './optimize/reservation.ts';
import { turns } from './optimize/scheduler.ts';
import { respondingWithPicture, serveImage } from './optimize/serve.ts';

/**
 * Raw bytes in OpenAPI 3.1: a media type without `type`, which would describe JSON. Viewers offer a file input for it,
 * and generators a Blob. `format: binary` belongs to OpenAPI 3.0 and means nothing in JSON Schema 2020-12.
 */
const bytes = (contentMediaType: string) => ({ schema: { contentMediaType } });

const picturesOf = (facts: readonly FormatFacts[]) =>
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

const contract = defineRoute({
  method: 'post',
  path: '/v1/optimize',
  operationId: 'optimize',
  tags: ['Optimize'],
  summary: 'Make an image smaller',
  description: `Send an image and get a smaller one back in the same call. Nothing is stored. Takes ${namesOf(inputFacts, 'and')} of up to 32 MiB. There are three ways to send the image:

- its bytes as the body, with the options in the query; any \`Content-Type\` other than those below will do, because the format is read from the bytes;
- \`multipart/form-data\` with the image as \`file\` and the options as fields;
- JSON with the \`url\` of the image and the options as further members.

An option that is unknown or given twice is rejected, and so is a query string together with a form or JSON.

If neither format nor dimensions change, the result is never larger than the source. A file is charged only if \`Image-Optimized\` is \`true\`.`,
  credential: 'api-key',
  rawBody: true,
  problems: [
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
  ],
  // Their examples differ from those of routes that take only JSON.
  thrown: [noImage(), bodyTooLarge(), apiErrorOf(unsupportedType('SVG'))],
  request: {
    query: optionsSchema,
    body: {
      required: true,
      content: {
        'application/octet-stream': bytes('application/octet-stream'),
        ...picturesOf(inputFacts),
        'multipart/form-data': {
          schema: optionsSchema.extend({ file: z.string().openapi(fileText) }),
          encoding: {
            file: { contentType: inputFacts.map(({ mediaType }) => mediaType).join(', ') },
          },
        },
        'application/json': {
          schema: optionsSchema.extend({ url: sourceUrl }),
          example: { url: 'https://images.example/photo.jpg', format: 'webp', width: 800 },
        },
      },
    },
  },
  responses: {
    200: {
      description: 'The image.',
      headers: headersWith([], imageHeaders),
      // An animation may be returned in a format that the service reads but does not write.
      content: picturesOf(formatFacts),
    },
  },
});

/** POST /v1/optimize, for programs with a key. */
export const optimize = createRouter();

handleRaw(optimize, contract, async (c) => {
  const { key } = c.var;
  const job = await turns.arrive(key.mailboxId, c.req.raw.signal);
  try {
    const refuse = (isExpired: boolean) => refuseKey(c, isExpired ? null : key);
    const allowance = allowanceOf(c, await reserveFile(c, { id: newId('res'), refuse }));
    return await serveImage(c, job, allowance, respondingWithPicture(c, allowance));
  } finally {
    job.end();
  }
});
