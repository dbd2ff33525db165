import { z } from '@hono/zod-openapi';
import { healthCheck } from '../store/health.ts';
import { createRouter, defineRoute } from './http/contract.ts';
import { jsonResponse } from './http/openapi-parts.ts';

const contract = defineRoute({
  method: 'get',
  path: '/v1/health',
  operationId: 'checkHealth',
  tags: ['Service'],
  summary: 'Whether the service and what it depends on are up',
  description: 'The outcome may be five seconds old.',
  credential: 'none',
  responses: {
    200: jsonResponse('Everything answers.', z.object({ status: z.literal('ok') })),
    503: jsonResponse(
      'A part does not answer, or the database lacks what this version needs.',
      z.object({
        status: z.literal('failing'),
        failing: z
          .array(z.enum(['database', 'kv']))
          .openapi({ description: 'The parts that do not answer as they should.' }),
      }),
    ),
  },
});

const failingParts = healthCheck();

export const health = createRouter().openapi(contract, async (c) => {
  const failing = await failingParts(c.env);
  if (failing.length === 0) return c.json({ status: 'ok' as const }, 200);
  return c.json({ status: 'failing' as const, failing: [...failing] }, 503);
});
