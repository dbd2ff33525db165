import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import type { Client } from '../support/client.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await sharedTestService();
  client = await service.signedIn('json@example.com');
});
afterAll(() => service.close());

const limit = 64 * 1024;

/** POST /v1/keys, representative because all JSON routes read their bodies in the same way. */
function send(body: BodyInit, contentType: string | null = 'application/json'): Promise<Response> {
  const headers = new Headers();
  if (contentType !== null) headers.set('Content-Type', contentType);
  const duplex = 'half';
  return client.fetch('/v1/keys', { method: 'POST', headers, body, duplex } as RequestInit);
}

/** A valid body of this many bytes. */
function bodyOf(bytes: number): string {
  const body = (filler: string) => JSON.stringify({ name: 'long', filler });
  return body('x'.repeat(bytes - body('').length));
}

describe('a JSON body', () => {
  it.each([
    ['malformed', '{"name": '],
    ['text', 'name'],
    ['two objects', '{"name":"a"}{"name":"b"}'],
    ['an array', '[{"name":"a"}]'],
    ['a string', '"a"'],
    ['null', 'null'],
    ['empty', ''],
    ['white space', '  '],
    ['nested without end', '['.repeat(30_000) + ']'.repeat(30_000)],
    ['invalid UTF-8', Buffer.from('{"name":"\xff"}', 'latin1')],
    ['UTF-16', Buffer.from('{"name":"a"}', 'utf16le')],
  ])('that is %s is an invalid request', async (_what, body) => {
    await expectProblem(await send(body), 'invalid_request');
  });

  it('tells every field that is wrong, by its path', async () => {
    const { errors } = await expectProblem(
      await send(JSON.stringify({ name: 5, comment: false })),
      'invalid_request',
    );
    expect(errors).toEqual([
      { path: 'name', message: expect.stringMatching(/./) },
      { path: 'comment', message: expect.stringMatching(/./) },
    ]);
  });

  it('may have fields that nobody knows', async () => {
    const body = '{"name":"unknown","colour":"red","__proto__":{"comment":"x"},"status":"revoked"}';
    const response = await send(body);
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ comment: '', status: 'active' });
  });

  it('with half a character in it is refused for that, not by the database', async () => {
    await expectProblem(await send('{"name":"a\\ud800"}'), 'invalid_request');
    const visitor = service.client();
    const email = 'a\ud800@example.com';
    await expectProblem(await visitor.post('/v1/auth/request-code', { email }), 'invalid_email');
    await expectProblem(await visitor.verify('a@example.com', '\udc0012345'), 'invalid_code');
  });

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json ;x=y'])(
    'of type %s is read',
    async (contentType) => {
      expect((await send('{"name":"typed"}', contentType)).status).toBe(201);
    },
  );

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/merge-patch+json',
    'json',
  ])('of type %s is of no supported type', async (contentType) => {
    await expectProblem(await send('{"name":"a"}', contentType), 'unsupported_media_type');
  });

  it('without a type is of no supported type', async () => {
    // Bytes, because fetch adds a media type to strings.
    const body = Buffer.from('{"name":"a"}');
    await expectProblem(await send(body, null), 'unsupported_media_type');
  });

  it('is not demanded where every field is optional', async () => {
    const visitor = await service.signedIn('bodiless@example.com');
    const created = (await (await visitor.post('/v1/keys', { name: 'a' })).json()) as {
      id: string;
    };
    for (const path of [`/v1/keys/${created.id}/reissue`, '/v1/auth/logout']) {
      const response = await visitor.fetch(path, { method: 'POST' });
      expect(response.ok, await response.text()).toBe(true);
    }
  });

  it('of 64 KiB is read, a byte more is too much', async () => {
    expect((await send(bodyOf(limit))).status).toBe(201);
    const { limit_bytes } = await expectProblem(await send(bodyOf(limit + 1)), 'body_too_large');
    expect(limit_bytes).toBe(limit);
  });

  it('without a length is held to the same', async () => {
    const chunked = (bytes: number) => new Blob([bodyOf(bytes)]).stream();
    expect((await send(chunked(limit))).status).toBe(201);
    await expectProblem(await send(chunked(limit + 1)), 'body_too_large');
    await expectProblem(await send(chunked(50 * limit)), 'body_too_large');
  });
});
