import { OpenAPIHono } from '@hono/zod-openapi';
import { html } from 'hono/html';
import { type AppEnv, linkOrigin } from '../context.ts';
import { errorTable } from '../errors.ts';

/** What describes `api` to people and programs. */
export function docs(api: OpenAPIHono<AppEnv>): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();

  app.get('/v1/openapi.json', (c) => {
    return c.json(
      api.getOpenAPI31Document({
        openapi: '3.1.0',
        info: { title: c.var.config.serviceName, version: '1', license: { name: 'MIT' } },
        servers: [{ url: linkOrigin(c) }],
      }),
    );
  });

  app.get('/docs/errors', (c) =>
    c.html(html`<!doctype html>
      <html lang="en">
        <title>Errors – ${c.var.config.serviceName}</title>
        <h1>Errors</h1>
        <p>Every error is a JSON object (RFC 9457) whose <code>code</code> is one of these.</p>
        <dl>
          ${Object.entries(errorTable).map(
            ([code, { status, title }]) =>
              html`<dt id="${code}"><code>${code}</code></dt>
                <dd>${status} ${title}</dd>`,
          )}
        </dl>
      </html>`),
  );

  return app;
}
