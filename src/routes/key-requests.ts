import { z } from '@hono/zod-openapi';
import type { KeyRequest } from '../key-log/rings.ts';
import { keyLogLimits } from '../policy/limits.ts';
import { createRouter, defineRoute } from './http/contract.ts';
import { askKeyLog } from './http/meter.ts';
import { count, jsonResponse, timestamp } from './http/openapi-parts.ts';
import { recordCollected } from './keys/key-log.ts';
import { demandKey, keyParams } from './keys/key-record.ts';

const keyRequest = z
  .object({
    at: timestamp.openapi({ description: 'When the request arrived.' }),
    route: z.string().openapi({
      description: 'The pattern of its path, without anything that the client sent.',
      example: '/v1/optimize',
    }),
    status: z.int().min(200).max(599).openapi({ example: 200 }),
    code: z.string().nullable().openapi({
      description: 'The `code` of the error that was returned. Null: it succeeded.',
    }),
    bytes_in: count.nullable().openapi({
      description:
        'Size of the source. Null: there is none, or the request failed before it was known.',
    }),
    bytes_out: count.nullable().openapi({
      description: 'Size of the results together. Null: there is none.',
    }),
    milliseconds: count.openapi({
      description: 'From its arrival until the response began, including the time for the upload.',
    }),
    charged: count.openapi({ description: 'Results that were charged.' }),
  })
  .openapi('KeyRequest', { description: 'A request that was made with an API key.' });

export const requestList = z.object({
  recording: z.boolean().openapi({
    description: 'False: this deployment records no requests, and `items` is empty.',
  }),
  items: z.array(keyRequest),
});

const { requests: maxRequests, days } = keyLogLimits;

const list = defineRoute({
  method: 'get',
  path: '/v1/keys/{id}/requests',
  operationId: 'listKeyRequests',
  tags: ['Keys'],
  summary: 'List the latest requests with a key, newest first',
  description: `The last ${maxRequests.toLocaleString('en-US')} requests of the last ${days} days, each once its response has left. Requests that were refused because the key was revoked or had expired are not among them. Names, URLs, addresses and images are not recorded.`,
  credential: 'session',
  request: { params: keyParams },
  problems: ['key_not_found'],
  responses: {
    200: jsonResponse('The requests.', requestList),
  },
});

/** The requests with each key of the signed-in user. */
export const keyRequests = createRouter().openapi(list, async (c) => {
  const { mailboxId } = c.var.session;
  const { hash } = await demandKey(c, c.req.valid('param').id);
  const { keyLog: recording } = c.var.config;
  if (!recording) return c.json({ recording, items: [] }, 200);
  await recordCollected(c, mailboxId);
  const found = await askKeyLog(c, mailboxId, (log) => log.requests(hash));
  return c.json({ recording, items: found.map(describeRequest) }, 200);
});

function describeRequest({
  at,
  bytesIn,
  bytesOut,
  ...same
}: KeyRequest): z.infer<typeof keyRequest> {
  const { route, status, code, milliseconds, charged } = same;
  return {
    at: new Date(at).toISOString(),
    ...{ route, status, code, bytes_in: bytesIn, bytes_out: bytesOut, milliseconds, charged },
  };
}
