import { z } from '@hono/zod-openapi';
import type { ErrorCode } from '../../errors.ts';

/** The body of a route that takes JSON. */
export function jsonRequest<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } };
}

/** An answer in JSON. */
export function jsonResponse<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { 'application/json': { schema } } };
}

/** A cookie that comes with an answer. */
export function setsCookie(description: string) {
  return { 'Set-Cookie': { description, schema: { type: 'string' as const } } };
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
] as const satisfies readonly ErrorCode[];
