import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { AppEnv } from '../context.ts';
import { databaseAnswers } from '../store/health.ts';

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
            failing: z.array(z.enum(['database'])),
          }),
        },
      },
    },
  },
});

export const health = new OpenAPIHono<AppEnv>().openapi(contract, async (c) => {
  c.header('Cache-Control', 'no-store');
  if (await databaseAnswers(c.env.DB)) return c.json({ status: 'ok' as const }, 200);
  return c.json({ status: 'failing' as const, failing: ['database' as const] }, 503);
});
