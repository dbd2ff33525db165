import { z } from '@hono/zod-openapi';
import { Hono } from 'hono';
import { isSameText, sha256 } from '../access/hashing.ts';
import type { Config } from '../config.ts';
import { healthCheck } from '../store/health.ts';
import { counted, exposition, zeros } from '../telemetry/counts.ts';
import { handOver, readTotals } from '../telemetry/totals.ts';
import type { AppEnv } from './http/context.ts';
import { createRouter, defineRoute } from './http/contract.ts';
import { jsonResponse } from './http/openapi-parts.ts';

// For whoever watches over the service.

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
  // On a disk that takes no changes, reading goes on: a check of the database finds nothing.
  const failing =
    MACHINE?.isWritable === false
      ? (['database'] as const)
      : await failingParts(c.env, (refreshed) => c.executionCtx.waitUntil(refreshed));
  if (failing.length === 0) return c.json({ status: 'ok' as const }, 200);
  return c.json({ status: 'failing' as const, failing: [...failing] }, 503);
});

/** The media type that Prometheus expects. */
const textFormat = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * GET /metrics, for a Prometheus of the operator’s, who gives it the token; not found without one. Not in the OpenAPI document,
 * which is about what users can call, and promises not to change.
 */
export function metrics({ metricsToken, currentFigures }: Config): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  if (metricsToken === null) return app;
  app.get('/metrics', async (c) => {
    const [, given = ''] = /^Bearer +(\S+)$/i.exec(c.req.header('Authorization') ?? '') ?? [];
    // Hashes have the same length, so that the time tells nothing of the token.
    if (!isSameText(await sha256(given), await sha256(metricsToken))) {
      return c.text('The token is that of METRICS_TOKEN.\n', 401, { 'WWW-Authenticate': 'Bearer' });
    }
    await handOver(c.env);
    const sums = (await readTotals(c.env)) ?? { ...counted(), ...currentFigures?.() };
    return c.body(exposition({ ...zeros(), ...sums }), 200, { 'Content-Type': textFormat });
  });
  return app;
}
