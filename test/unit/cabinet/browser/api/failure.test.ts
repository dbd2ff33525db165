import { describe, expect, it } from 'vitest';
import { durationText, failureOf } from '../../../../../src/cabinet/browser/api/failure.ts';

describe('failures', () => {
  const problem = {
    type: 'https://img.example/docs/errors#key_limit_reached',
    title: 'Too many API keys',
    status: 409,
    detail: 'Revoke one that you do not use.',
    code: 'key_limit_reached',
    request_id: 'r-1',
    errors: [{ path: 'name', message: 'should not be empty' }],
  };

  it('are told in the words of the API, with the fields that they are about', async () => {
    const failure = await failureOf(new Response(JSON.stringify(problem), { status: 409 }));
    expect(failure).toEqual({
      code: 'key_limit_reached',
      message: 'Revoke one that you do not use.',
      fields: { name: 'should not be empty' },
      retryAfter: null,
      requestId: 'r-1',
    });
  });

  it('say how long to wait', async () => {
    const headers = { 'Retry-After': '120' };
    const failure = await failureOf(
      new Response(JSON.stringify(problem), { status: 429, headers }),
    );
    expect(failure.retryAfter).toBe(120);
    expect(failure.message).toBe('Revoke one that you do not use. Try again in 2 minutes.');
  });

  it('say it once', async () => {
    const headers = { 'Retry-After': '936' };
    const detail = 'Too many requests: try again in 936 s.';
    const limited = JSON.stringify({ ...problem, code: 'too_many_requests', detail });
    const { message } = await failureOf(new Response(limited, { status: 429, headers }));
    expect(message).toBe('Too many requests. Try again in 16 minutes.');
  });

  it.each(['<html>Bad gateway</html>', '', 'null', '[]', '{"code":7}'])(
    'that are not of the API (%s) are told all the same',
    async (body) => {
      const { code, message } = await failureOf(new Response(body, { status: 502 }));
      expect(code).toBe('unreadable');
      expect(message).toContain('502');
    },
  );

  it('of a proxy that is busy say how long to wait', async () => {
    const headers = { 'Retry-After': '30' };
    const { message, retryAfter } = await failureOf(
      new Response('<html>', { status: 503, headers }),
    );
    expect(retryAfter).toBe(30);
    expect(message).toBe('The service is busy. Try again in 30 seconds. (503)');
  });

  it.each([
    [0, '1 second'],
    [45, '45 seconds'],
    [60, '60 seconds'],
    [150, '3 minutes'],
    [7200, '2 hours'],
  ])('%d seconds are %s', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });
});
