import { expect } from 'vitest';
import { type ErrorCode, errorTable } from '../../src/errors.ts';

export interface Problem extends Record<string, unknown> {
  readonly type: string;
  readonly detail: string;
}

/** Checks that a response is exactly this error (RFC 9457), and returns its body. */
export async function expectProblem(response: Response, code: ErrorCode): Promise<Problem> {
  const text = await response.text();
  expect(text, `expected ${code}`).toMatch(/^\{/);
  const body = JSON.parse(text) as Problem;
  expect(body.code, text).toBe(code);
  const { status, title } = errorTable[code];
  expect(response.status).toBe(status);
  expect(response.headers.get('Content-Type')).toBe('application/problem+json');
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  expect(body).toMatchObject({ title, status, request_id: response.headers.get('Request-Id') });
  expect(body.type).toMatch(new RegExp(`^http://[^/]+/docs/errors#${code}$`));
  expect(body.detail).toMatch(/\S.*\.$/);
  return body;
}
