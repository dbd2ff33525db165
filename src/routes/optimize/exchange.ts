import { z } from '@hono/zod-openapi';
import { maxTurnstileTokenLength } from '../../access/turnstile.ts';
import type { ErrorCode } from '../../errors.ts';
import { unsupportedType } from '../../image/engine.ts';
import { formatFacts, inputFacts, namesOf } from '../../image/formats/facts.ts';
import type { FormatFacts } from '../../image/formats/format-facts.ts';
import { trialLimits } from '../../policy/limits.ts';
import { headersWith, type OwnHeader } from '../http/openapi-parts.ts';
import { apiErrorOf } from '../http/problems.ts';
import { turnstileField } from '../http/turnstile.ts';
import { bodyTooLarge } from './held-body.ts';
import { optionsSchema } from './options.ts';
import { imageHeaders } from './picture-headers.ts';
import { noImage } from './raw-body.ts';

/**
 * Raw bytes in OpenAPI 3.1: a media type without `type`, which would describe JSON. Viewers offer a file input for it,
 * and generators a Blob. `format: binary` belongs to OpenAPI 3.0 and means nothing in JSON Schema 2020-12.
 */
const bytes = (contentMediaType: string) => ({ schema: { contentMediaType } });

const inputMediaTypes = inputFacts.map(({ mediaType }) => mediaType);

const picturesOf = (facts: readonly FormatFacts[]) =>
  Object.fromEntries(facts.map(({ mediaType }) => [mediaType, bytes(mediaType)]));

const fileText = {
  description: 'The image. Exactly one is required.',
  contentMediaType: 'application/octet-stream',
};
const fileField = z.string().openapi(fileText);

const sourceUrl = z.url().openapi({
  description:
    'Where the service fetches the image: an https URL with a public host, port 443 or 80, and no user name or password. At most 3 redirects to such URLs, 15 seconds, and 32 MiB after decoding.',
  example: 'https://images.example/photo.jpg',
});

/** Errors whose examples differ from those of routes that take only JSON. */
const thrown = [noImage(), bodyTooLarge(), apiErrorOf(unsupportedType('SVG'))];

/** Errors of both kinds of exchange. */
const problems = [
  'invalid_request',
  'invalid_options',
  'request_timeout',
  'body_too_large',
  'image_too_large',
  'unsupported_media_type',
  'invalid_image',
  'max_bytes_unreachable',
  'too_many_requests',
  'overloaded',
] as const satisfies readonly ErrorCode[];

const inputs = namesOf(inputFacts, 'and');

const asBytes =
  'its bytes as the body, with the options in the query; any `Content-Type` other than those below will do, because the format is read from the bytes';
const asForm = '`multipart/form-data` with the image as `file` and the options as fields';
const strictness = 'An option that is unknown or given twice is rejected';
const promise =
  'If neither format nor dimensions change, the result is never larger than the source.';

const rawContent = {
  'application/octet-stream': bytes('application/octet-stream'),
  ...picturesOf(inputFacts),
};

const formOf = <Shape extends z.ZodObject>(schema: Shape) => ({
  schema,
  encoding: { file: { contentType: inputMediaTypes.join(', ') } },
});

/**
 * The request and errors of the optimize routes: clients send an image, or the URL of one, and get a smaller one back.
 */
export const exchange = {
  method: 'post',
  rawBody: true,
  problems: [...problems, 'source_not_allowed', 'source_fetch_failed', 'quota_exceeded'],
  thrown,
  description: `Send an image and get a smaller one back in the same call. Nothing is stored. Takes ${inputs} of up to 32 MiB. There are three ways to send the image:

- ${asBytes};
- ${asForm};
- JSON with the \`url\` of the image and the options as further members.

${strictness}, and so is a query string together with a form or JSON.

${promise} A file is charged only if \`Image-Optimized\` is \`true\`.`,
  request: {
    query: optionsSchema,
    body: {
      required: true,
      content: {
        ...rawContent,
        'multipart/form-data': formOf(optionsSchema.extend({ file: fileField })),
        'application/json': {
          schema: optionsSchema.extend({ url: sourceUrl }),
          example: { url: 'https://images.example/photo.jpg', format: 'webp', width: 800 },
        },
      },
    },
  },
} as const;

const { perNetwork, perSite, maxFileBytes, maxCpuMs } = trialLimits;

/** The request and errors of the trial route, for visitors without an account. */
export const trialExchange = {
  method: 'post',
  rawBody: true,
  problems: [
    ...problems,
    'origin_not_allowed',
    'not_found',
    'turnstile_failed',
    'trial_limit_reached',
  ],
  thrown,
  description: `The front page’s own call, for visitors without an account. Only pages on this origin can make it. Takes ${inputs} of up to ${maxFileBytes / 2 ** 20} MiB that need no more than ${maxCpuMs / 1000} seconds of computing time; ${perNetwork} images per UTC day from one network, ${perSite} from an IPv6 /48. Nothing is stored. There are two ways to send the image:

- ${asBytes};
- ${asForm}.

${strictness}, and so is a query string together with a form. ${promise}`,
  request: {
    query: optionsSchema,
    body: {
      required: true,
      content: {
        ...rawContent,
        'multipart/form-data': formOf(
          optionsSchema.extend({
            file: fileField,
            [turnstileField]: z.string().max(maxTurnstileTokenLength).optional().openapi({
              description:
                'The token from the Turnstile widget on the front page. Required if the operator has turned Turnstile on.',
            }),
          }),
        ),
      },
    },
  },
} as const;

/** A response with an image. */
export function pictureResponse(headers: Readonly<Record<string, OwnHeader>>) {
  return {
    description: 'The image.',
    headers: headersWith([], { ...imageHeaders, ...headers }),
    // An animation may be returned in a format that the service reads but does not write.
    content: picturesOf(formatFacts),
  };
}
