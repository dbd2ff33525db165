import { expect } from 'vitest';
import type { ApiOperation } from './operations.ts';
import { keySecrets } from './service.ts';
import { webhookSecret } from './stripe-events.ts';

/** Where the inside of a service shows, and what it must not let out. */
const leaks = [
  /\bat .*\.(?:ts|js):\d/,
  /\b(?:SQLITE|D1_ERROR|D1_EXEC|constraint failed)\b/,
  /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM)\b .*\b(?:FROM|VALUES|SET|WHERE)\b/,
  /\b(?:TypeError|RangeError|SyntaxError|ZodError)\b/,
  /sk_test_|whsec_/,
];
const secrets = [...keySecrets.split(',').map((pair) => pair.split(':')[1] ?? ''), webhookSecret];

/**
 * Checks what every answer of the API has to have, whatever was asked; that it fits the document has
 * been checked where it came in. Returns its text.
 */
export async function expectSound(response: Response, operation: ApiOperation): Promise<string> {
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
  const { status, headers } = response;
  const said = `${operation.name} ${status}: ${text.slice(0, 300)}`;
  expect(status, said).toBeLessThan(500);
  expect(headers.get('Request-Id'), said).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get('X-Content-Type-Options'), said).toBe('nosniff');
  expect(headers.get('X-Frame-Options'), said).toBe('DENY');
  expect(headers.get('Content-Security-Policy'), said).toMatch(/default-src 'none'.*sandbox/);
  expect(headers.has('Server') || headers.has('X-Powered-By'), said).toBe(false);
  const isPersonal = operation.credential !== null || operation.path.startsWith('/v1/auth/');
  if (isPersonal || status >= 400) expect(headers.get('Cache-Control'), said).toBe('no-store');
  if (status >= 400) expect(headers.get('Content-Type'), said).toBe('application/problem+json');
  const all = `${JSON.stringify([...headers])}\n${text}`;
  for (const leak of leaks) expect(all).not.toMatch(leak);
  for (const secret of secrets) expect(all).not.toContain(secret);
  return text;
}
