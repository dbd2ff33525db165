import { createRoute, z } from '@hono/zod-openapi';
import type { ErrorCode } from '../../errors.ts';
import { jsonBody } from '../bodies/json-body.ts';
import { jsonProblems, jsonRequest, jsonResponse } from '../contracts/json.ts';
import { problemResponses } from '../contracts/problem-responses.ts';
import { signedIn } from '../gates/session.ts';
import { commentField, nameField } from './labels.ts';
import { keyRecord } from './record.ts';

const tags = ['Keys'];
const security = [{ session: [] }];
const params = z.object({
  id: z.string().openapi({ description: 'The `id` of the key.', example: 'key_Xk2v9QmB7sLwD4tR' }),
});
const changing = { tags, security, middleware: [signedIn, jsonBody] };

const nothing = { ...jsonRequest(z.object({})), required: false };

function problems(...codes: ErrorCode[]) {
  return problemResponses(...jsonProblems, 'auth_required', ...codes);
}

export const list = createRoute({
  method: 'get',
  path: '/v1/keys',
  operationId: 'listKeys',
  tags,
  summary: 'List your API keys, the newest first',
  security,
  middleware: [signedIn] as const,
  responses: {
    200: jsonResponse(
      'All of them, revoked ones included.',
      z.object({ items: z.array(keyRecord) }),
    ),
    ...problemResponses('key_in_query', 'auth_required', 'internal_error', 'overloaded'),
  },
});

export const create = createRoute({
  ...changing,
  method: 'post',
  path: '/v1/keys',
  operationId: 'createKey',
  summary: 'Make an API key',
  description: 'There can be 50 active keys, and 1,000 with the revoked ones.',
  request: {
    body: jsonRequest(z.object({ name: nameField, comment: commentField.default('') }), {
      name: 'shop',
      comment: 'product pictures',
    }),
  },
  responses: { 201: jsonResponse('The new key.', keyRecord), ...problems('key_limit_reached') },
});

export const relabel = createRoute({
  ...changing,
  method: 'patch',
  path: '/v1/keys/{id}',
  operationId: 'updateKey',
  summary: 'Change the name or the comment of a key',
  request: {
    params,
    body: jsonRequest(
      z
        .object({ name: nameField.optional(), comment: commentField.optional() })
        .refine(
          ({ name, comment }) => name !== undefined || comment !== undefined,
          'should have a name or a comment',
        )
        .openapi({ minProperties: 1 }),
      { name: 'shop, new server' },
    ),
  },
  responses: { 200: jsonResponse('The changed key.', keyRecord), ...problems('key_not_found') },
});

export const revoke = createRoute({
  ...changing,
  method: 'post',
  path: '/v1/keys/{id}/revoke',
  operationId: 'revokeKey',
  summary: 'Revoke a key, at once and for good',
  description: 'The very next request with it is refused, everywhere.',
  request: { params, body: nothing },
  responses: {
    200: jsonResponse('The revoked key.', keyRecord),
    ...problems('key_not_found', 'key_not_active'),
  },
});

export const reissue = createRoute({
  ...changing,
  method: 'post',
  path: '/v1/keys/{id}/reissue',
  operationId: 'reissueKey',
  summary: 'Revoke a key and make its successor',
  description:
    'The successor has the name and comment of the old key, an id of its own, and counters at zero.',
  request: { params, body: nothing },
  responses: {
    201: jsonResponse('The new key.', keyRecord),
    ...problems('key_not_found', 'key_not_active', 'key_limit_reached'),
  },
});
