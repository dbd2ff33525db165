import { createRoute, z } from '@hono/zod-openapi';
import type { ErrorCode } from '../../errors.ts';
import { jsonBody } from '../json-body.ts';
import { problemResponses } from '../problem-responses.ts';
import { signedIn } from '../signed-in.ts';
import { commentField, nameField } from './labels.ts';
import { keyRecord } from './record.ts';

const tags = ['Keys'];
const security = [{ session: [] }];
const params = z.object({ id: z.string().openapi({ example: 'key_0f8c…' }) });
const changing = { tags, security, middleware: [signedIn, jsonBody] };

function record(description: string) {
  return { description, content: { 'application/json': { schema: keyRecord } } };
}

function body<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } };
}

function problems(...codes: ErrorCode[]) {
  return problemResponses(
    'invalid_request',
    'auth_required',
    'origin_not_allowed',
    'request_timeout',
    'body_too_large',
    'unsupported_media_type',
    ...codes,
  );
}

export const list = createRoute({
  method: 'get',
  path: '/v1/keys',
  tags,
  summary: 'List your API keys, the newest first',
  security,
  middleware: [signedIn] as const,
  responses: {
    200: {
      description: 'All of them, revoked ones included.',
      content: { 'application/json': { schema: z.object({ items: z.array(keyRecord) }) } },
    },
    ...problemResponses('auth_required'),
  },
});

export const create = createRoute({
  ...changing,
  method: 'post',
  path: '/v1/keys',
  summary: 'Make an API key',
  request: { body: body(z.object({ name: nameField, comment: commentField.default('') })) },
  responses: { 201: record('The new key.'), ...problems('key_limit_reached') },
});

export const relabel = createRoute({
  ...changing,
  method: 'patch',
  path: '/v1/keys/{id}',
  summary: 'Change the name or the comment of a key',
  request: {
    params,
    body: body(
      z
        .object({ name: nameField.optional(), comment: commentField.optional() })
        .refine(
          ({ name, comment }) => name !== undefined || comment !== undefined,
          'should have a name or a comment',
        ),
    ),
  },
  responses: { 200: record('The changed key.'), ...problems('key_not_found') },
});

export const revoke = createRoute({
  ...changing,
  method: 'post',
  path: '/v1/keys/{id}/revoke',
  summary: 'Revoke a key, at once and for good',
  request: { params },
  responses: {
    200: record('The revoked key.'),
    ...problems('key_not_found', 'key_not_active'),
  },
});

export const reissue = createRoute({
  ...changing,
  method: 'post',
  path: '/v1/keys/{id}/reissue',
  summary: 'Revoke a key and make its successor',
  request: { params },
  responses: {
    201: record('The new key, with the name and comment of the old one.'),
    ...problems('key_not_found', 'key_not_active', 'key_limit_reached'),
  },
});
