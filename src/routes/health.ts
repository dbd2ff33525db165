import { createRoute, z } from '@hono/zod-openapi';
import { failingParts } from '../store/health.ts';
import { createRouter } from './contracts/router.ts';

const contract = createRoute({
  method: 'get',
  path: '/v1/health',
  tags: ['Service'],
  summary: 'Whether the service and what it depends on are up',
  responses: {
    200: {
      description: 'Everything answers.',
      content: { 'application/json': { schema: z.object({ status: z.literal('ok') }) } },
    },
    503: {
      description: 'A part does not answer.',
      content: {
        'application/json': {
          schema: z.object({
            status: z.literal('failing'),
            failing: z.array(z.enum(['database', 'kv'])),
          }),
        },
      },
    },
  },
});

export const health = createRouter().openapi(contract, async (c) => {
  c.header('Cache-Control', 'no-store');
  const failing = await failingParts(c.env);
  if (failing.length === 0) return c.json({ status: 'ok' as const }, 200);
  return c.json({ status: 'failing' as const, failing }, 503);
});
