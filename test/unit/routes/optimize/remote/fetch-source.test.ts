import { afterEach, describe, expect, it, vi } from 'vitest';
import { fetchSource } from '../../../../../src/routes/optimize/remote/fetch-image.ts';

const rules = {
  allowHttp: false,
  privateSources: new Set<string>(),
  ownHosts: new Set(['img.example']),
};
const start = 'https://images.example/a.jpg?token=secret';
const { signal } = new AbortController();

afterEach(() => vi.unstubAllGlobals());

/** Responses of the other servers, one after another; an error is a failed connection. */
function stub(...answers: (Response | Error)[]) {
  const fetch = vi.fn(async (_url: URL, _init: RequestInit) => {
    const answer = answers.shift();
    if (!answer || answer instanceof Error) throw answer ?? new Error('one request too many');
    return answer;
  });
  vi.stubGlobal('fetch', fetch);
  return fetch;
}

function redirect(location: string, status = 302): Response {
  return new Response('moved', { status, headers: { Location: location } });
}

async function refusal(url = start): Promise<{ code: string; detail: string }> {
  const error = await fetchSource(url, rules, signal).then(
    () => null,
    (reason) => reason,
  );
  expect(JSON.stringify([error?.message, error?.members, String(error?.cause)])).not.toContain(
    'secret',
  );
  return { code: error?.code, detail: error?.message };
}

describe('fetching an image', () => {
  it('asks for nothing but the image, past every cache, and says who asks', async () => {
    const fetch = stub(new Response('image'));
    expect(await (await fetchSource(start, rules, signal)).text()).toBe('image');
    expect(fetch.mock.calls).toEqual([
      [
        new URL(start),
        {
          redirect: 'manual',
          cache: 'no-store',
          signal,
          headers: {
            Accept: 'image/jpeg,image/png,image/*;q=0.8,*/*;q=0.5',
            'User-Agent': 'fewerbytes/1',
          },
        },
      ],
    ]);
  });

  it.each([301, 302, 303, 307, 308])('follows a redirect with status %i', async (status) => {
    const moved = redirect('../b.jpg', status);
    const cancel = vi.spyOn(moved.body as ReadableStream, 'cancel');
    const fetch = stub(moved, new Response('image'));
    await fetchSource(start, rules, signal);
    expect(fetch.mock.calls[1]?.[0].href).toBe('https://images.example/b.jpg');
    expect(cancel).toHaveBeenCalledOnce();
  });

  it('follows three redirects, not four', async () => {
    const hops = [1, 2, 3].map((hop) => redirect(`https://cdn.example/${hop}`));
    const fetch = stub(...hops, new Response('image'));
    expect((await fetchSource(start, rules, signal)).status).toBe(200);
    expect(fetch).toHaveBeenCalledTimes(4);
    const again = stub(...[1, 2, 3, 4].map((hop) => redirect(`/${hop}`)), new Response('image'));
    expect(await refusal()).toMatchObject({ code: 'source_fetch_failed' });
    expect(again).toHaveBeenCalledTimes(4);
  });

  it.each([
    ['http', 'http://images.example/secret'],
    ['a private address', 'https://10.0.0.1/secret'],
    ['an address in disguise', '//2130706433/secret'],
    ['a private name', 'https://metadata.google.internal/secret'],
    ['the service itself', 'https://img.example/secret'],
    ['another port', 'https://images.example:8080/secret'],
    ['credentials', 'https://a:secret@images.example/'],
    ['data', 'data:image/png;base64,secret'],
  ])('is not led to %s', async (_what, location) => {
    const fetch = stub(redirect('/b.jpg'), redirect(location));
    const { code, detail } = await refusal();
    expect(code).toBe('source_not_allowed');
    expect(detail).toMatch(
      /^Use a different image URL: this one redirects to a URL that is not fetched\.$/,
    );
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['a connection that fails', new TypeError(`no way to ${start}`)],
    ['a redirect to nowhere', new Response('secret', { status: 302 })],
    ['a redirect to what is not a URL', redirect('https://[secret')],
    ['a choice', new Response('secret', { status: 300, headers: { Location: '/b.jpg' } })],
    ['what is not modified', new Response(null, { status: 304 })],
    ['not found', new Response('secret', { status: 404 })],
    ['a server error', new Response('secret', { status: 500 })],
  ])('fails with one and the same answer for %s', async (_what, answer) => {
    stub(answer);
    expect(await refusal()).toEqual({
      code: 'source_fetch_failed',
      detail:
        'The image URL could not be fetched: it should answer with status 200 and the bytes of an image.',
    });
  });

  it('does not begin with what is no URL, or one that is refused', async () => {
    const fetch = stub();
    expect((await refusal('images.example/secret')).code).toBe('invalid_request');
    expect((await refusal('https://10.0.0.1/secret')).code).toBe('source_not_allowed');
    expect(fetch).not.toHaveBeenCalled();
  });
});
