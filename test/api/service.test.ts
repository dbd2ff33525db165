import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorTable } from '../../src/errors.ts';
import { expectProblem } from '../support/answers.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

describe('the service', () => {
  it('tells that it is well', async () => {
    const response = await service.fetch('/v1/health');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok' });
  });

  it('gives every answer an id of its own', async () => {
    const ids = await Promise.all(
      ['/v1/health', '/v1/health', '/v1/nothing', '/nothing'].map(async (path) =>
        (await service.fetch(path)).headers.get('Request-Id'),
      ),
    );
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('sends security headers, on errors too', async () => {
    for (const path of ['/v1/health', '/v1/nothing']) {
      const { headers } = await service.fetch(path);
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('Content-Security-Policy')).toBe(
        "default-src 'none'; frame-ancestors 'none'; sandbox",
      );
      // HSTS makes no sense over plain http.
      expect(headers.has('Strict-Transport-Security')).toBe(false);
    }
  });

  it('answers HEAD as GET without a body', async () => {
    const response = await service.fetch('/v1/health', { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  it('answers OPTIONS with the methods of the path', async () => {
    const response = await service.fetch('/v1/optimize', { method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(response.headers.get('Allow')).toBe('POST, OPTIONS');
    expect(response.headers.has('Access-Control-Allow-Origin')).toBe(false);
    expect(response.headers.has('Content-Type')).toBe(false);
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
  });

  it('refuses a wrong method with the right ones', async () => {
    const response = await service.fetch('/v1/optimize');
    expect(response.headers.get('Allow')).toBe('POST, OPTIONS');
    await expectProblem(response, 'method_not_allowed');
  });

  it('does not know other paths: a problem under /v1, a page elsewhere', async () => {
    await expectProblem(await service.fetch('/v1/nothing'), 'not_found');
    const page = await service.fetch('/nothing');
    expect(page.status).toBe(404);
    expect(page.headers.get('Content-Type')).toContain('text/html');
  });

  it('explains every error code where `type` points', async () => {
    const problem = await expectProblem(await service.fetch('/v1/nothing'), 'not_found');
    const page = await (await fetch(problem.type)).text();
    for (const code of Object.keys(errorTable)) expect(page).toContain(`id="${code}"`);
  });
});
