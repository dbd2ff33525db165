import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { type AppEnv, linkOrigin } from '../context.ts';
import { jsonResponse } from './contracts/json.ts';
import { problemResponses } from './contracts/problem-responses.ts';
import { createRouter } from './contracts/router.ts';
import { apiDocument } from './openapi/document.ts';

const contract = createRoute({
  method: 'get',
  path: '/v1/openapi.json',
  operationId: 'getOpenApi',
  tags: ['Service'],
  summary: 'Read this document',
  security: [],
  responses: {
    200: jsonResponse('The API in OpenAPI 3.1.', z.looseObject({ openapi: z.literal('3.1.0') })),
    ...problemResponses('key_in_query', 'internal_error'),
  },
});

/** GET /v1/openapi.json, which describes `api`. */
export function openapi(api: OpenAPIHono<AppEnv>): OpenAPIHono<AppEnv> {
  const app = createRouter();
  app.openAPIRegistry.registerPath(contract);
  let latest = { origin: '', text: '' };

  app.get(contract.path, (c) => {
    const origin = linkOrigin(c);
    if (latest.origin !== origin) {
      const document = apiDocument(api, c.var.config.serviceName);
      const servers = [{ url: origin, description: 'This service' }];
      latest = { origin, text: JSON.stringify({ ...document, servers }) };
    }
    return c.body(latest.text, 200, { 'Content-Type': 'application/json' });
  });
  return app;
}
