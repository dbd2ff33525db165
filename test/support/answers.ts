import sharp from 'sharp';
import { expect } from 'vitest';
import { type ErrorCode, errorTable } from '../../src/errors.ts';

/** Checks everything that the headers of a picture response state, and returns its body. */
export async function expectPicture(response: Response): Promise<Buffer> {
  const body = Buffer.from(await response.arrayBuffer());
  expect(response.status, body.toString('latin1', 0, 300)).toBe(200);
  const { format, autoOrient } = await sharp(body).metadata();
  const type = format === 'heif' ? 'avif' : format;
  const { headers } = response;
  expect(headers.get('Content-Type')).toBe(`image/${type}`);
  expect(headers.get('Content-Length')).toBe(String(body.length));
  expect(headers.get('Image-Output-Bytes')).toBe(String(body.length));
  expect([headers.get('Image-Width'), headers.get('Image-Height')]).toEqual([
    String(autoOrient.width),
    String(autoOrient.height),
  ]);
  expect(headers.get('Cache-Control')).toBe('no-store');
  expect(headers.has('Access-Control-Allow-Origin')).toBe(false);
  const before = Number(headers.get('Image-Input-Bytes'));
  const optimized = body.length <= before * 0.99;
  expect(headers.get('Image-Optimized')).toBe(String(optimized));
  expect(headers.has('Image-Reason')).toBe(!optimized);
  return body;
}

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
