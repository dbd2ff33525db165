import { z } from '@hono/zod-openapi';
import { healthCheck } from '../store/health.ts';
import { createRouter, defineRoute } from './http/contract.ts';
import { jsonResponse } from './http/openapi-parts.ts';

const contract = defineRoute({
  method: 'get',
  path: '/v1/health',
  operationId: 'checkHealth',
  tags: ['Service'],
  summary: 'Check whether the service and its dependencies are up',
  description: 'The result may be up to five seconds old.',
  credential: 'none',
  responses: {
    200: jsonResponse('Everything works.', z.object({ status: z.literal('ok') })),
    503: jsonResponse(
      'A dependency is not responding, or the database lacks a migration that this version requires. Or the server, on a machine of one’s own, is about to stop: status `stopping`.',
      z.object({
        status: z.enum(['failing', 'stopping']),
        failing: z
          .array(z.enum(['database', 'kv']))
          .openapi({ description: 'The dependencies that are failing.' }),
      }),
    ),
  },
});

const failingParts = healthCheck();

export const health = createRouter().openapi(contract, async (c) => {
  const { MACHINE } = c.env;
  if (MACHINE?.isStopping) return c.json({ status: 'stopping' as const, failing: [] }, 503);
  // On a full disk, reading goes on: a check of the database finds nothing.
  const failing = MACHINE?.isFull
    ? (['database'] as const)
    : await failingParts(c.env, (refreshed) => c.executionCtx.waitUntil(refreshed));
  if (failing.length === 0) return c.json({ status: 'ok' as const }, 200);
  return c.json({ status: 'failing' as const, failing: [...failing] }, 503);
});
