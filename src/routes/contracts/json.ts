import { z } from '@hono/zod-openapi';
import type { ErrorCode } from '../../errors.ts';
import { headersWith, type OwnHeader } from './headers.ts';

/** The body of a route that takes JSON. */
export function jsonRequest<Schema extends z.ZodType>(schema: Schema, example?: z.input<Schema>) {
  return {
    required: true,
    content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
  };
}

/** An answer in JSON. `headers` are those that it has besides what every answer has. */
export function jsonResponse<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  headers: Readonly<Record<string, OwnHeader>> = {},
) {
  return {
    description,
    headers: headersWith([], headers),
    content: { 'application/json': { schema } },
  };
}

/** The header of an answer that comes with cookies. */
export function setsCookie(description: string): Readonly<Record<string, OwnHeader>> {
  return { 'Set-Cookie': { description, required: true, schema: { type: 'string' } } };
}

/** The body of an answer that has nothing else to say. */
export const success = z.object({ success: z.literal(true) });

/** What every state-changing route with a JSON body may answer. */
export const jsonProblems = [
  'invalid_request',
  'key_in_query',
  'origin_not_allowed',
  'request_timeout',
  'body_too_large',
  'unsupported_media_type',
  'internal_error',
  'overloaded',
] as const satisfies readonly ErrorCode[];
