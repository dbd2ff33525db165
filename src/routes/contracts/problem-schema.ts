import { z } from '@hono/zod-openapi';
import { type ErrorCode, errorTable } from '../../errors.ts';
import { problemCatalogue } from './problem-catalogue.ts';

const codes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

const meanings = Object.fromEntries(codes.map((code) => [code, problemCatalogue[code].when]));

const member = (schema: z.ZodType, description: string) =>
  schema.optional().openapi({ description });

/** RFC 9457 problem details as every error of the API has them. */
export const problemSchema = z
  .object({
    type: z.url().openapi({ description: 'The entry of `code` on the error page.' }),
    title: z.string().openapi({ description: 'Short, the same for every error of this `code`.' }),
    status: z.int().openapi({ description: 'The HTTP status.' }),
    detail: z.string().openapi({ description: 'One sentence that says what to do.' }),
    code: z.enum(codes).openapi({
      description: 'Stable; program against this.',
      'x-enumDescriptions': meanings,
    }),
    request_id: z.string().openapi({ description: 'The same as the header `Request-Id`.' }),
    errors: member(
      z.array(
        z.object({
          path: z.string().openapi({ description: 'The field or option; empty: the whole body.' }),
          message: z.string(),
        }),
      ),
      'Of `invalid_request` and `invalid_options`: every complaint, with what it is about.',
    ),
    free_resets_at: member(
      z.iso.datetime(),
      'Of `quota_exceeded`: when the next free files are there.',
    ),
    limit_bytes: member(z.int(), 'Of `body_too_large`: the most that is taken.'),
    width: member(z.int(), 'Of `image_too_large`: pixels, upright.'),
    height: member(z.int(), 'Of `image_too_large`: pixels, upright.'),
    limit_pixels: member(z.int(), 'Of `image_too_large`: what would fit, shaped like this one.'),
    supported: member(z.array(z.string()), 'Of `unsupported_media_type`: media types to send.'),
  })
  .openapi('Problem', { description: 'An error, as RFC 9457 has it.' });

/** Every error as an OpenAPI example, by its code. */
export function problemExample(code: ErrorCode) {
  const { status, title } = errorTable[code];
  const { when, detail, members } = problemCatalogue[code];
  return {
    summary: title,
    description: when,
    value: {
      type: `https://img.example/docs/errors#${code}`,
      title,
      status,
      detail,
      code,
      request_id: '5f0c9f7e-3f0a-4a53-9c58-0e6b8f3f0c11',
      ...members,
    },
  };
}
