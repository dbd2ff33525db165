import { createRoute, z } from '@hono/zod-openapi';
import { healthCheck } from '../store/health.ts';
import { jsonResponse } from './http/contract.ts';
import { problemResponses } from './http/problems.ts';
import { createRouter } from './http/router.ts';

const contract = createRoute({
  method: 'get',
  path: '/v1/health',
  operationId: 'checkHealth',
  tags: ['Service'],
  summary: 'Whether the service and what it depends on are up',
  description: 'The outcome may be five seconds old.',
  security: [],
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
    ...problemResponses('key_in_query', 'internal_error'),
  },
});

const failingParts = healthCheck();

export const health = createRouter().openapi(contract, async (c) => {
  const failing = await failingParts(c.env);
  if (failing.length === 0) return c.json({ status: 'ok' as const }, 200);
  return c.json({ status: 'failing' as const, failing: [...failing] }, 503);
});
