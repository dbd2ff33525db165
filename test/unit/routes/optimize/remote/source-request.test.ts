import { describe, expect, it } from 'vitest';
import {
  readSourceRequest,
  type SourceRequest,
} from '../../../../../src/routes/optimize/remote/source-request.ts';

const url = 'https://images.example/a.jpg?token=secret';

function read(body: BodyInit, length: number | null = null): Promise<SourceRequest> {
  const headers = new Headers(length === null ? {} : { 'Content-Length': String(length) });
  const request = new Request('https://images.example', { method: 'POST', body });
  return readSourceRequest({ body: request.body, headers });
}

/** The code of the error for a body, and the paths of its issues. */
async function refusal(body: BodyInit, length?: number): Promise<string> {
  const error = await read(body, length).then(
    () => null,
    (reason) => reason,
  );
  expect(JSON.stringify([error?.message, error?.members])).not.toContain('secret');
  const paths = (error?.members.errors ?? []).map(({ path }: { path: string }) => path);
  return [error?.code, ...paths].join(' ');
}

describe('a request for the image at a URL', () => {
  it('has options as text or numbers, all of them text in the end', async () => {
    const body = { quality: 80, url, width: '800', height: 1e3, format: 'webp' };
    expect(await read(JSON.stringify(body))).toEqual({
      url,
      options: [
        ['quality', '80'],
        ['width', '800'],
        ['height', '1000'],
        ['format', 'webp'],
      ],
    });
  });

  it('may begin with a byte order mark', async () => {
    expect((await read(`\ufeff{"url":"${url}"}`)).url).toBe(url);
  });

  it.each([
    ['{"url":"U","format":"webp","format":"avif"}', ['format', 'format']],
    ['{"url":"U","format":"webp","\\u0066ormat":"avif"}', ['format', 'format']],
    ['{"url":"U","__proto__":"1"}', ['__proto__']],
    ['{"url":"U","a:\\"{":"}","b":"[\\\\"}', ['a:"{', 'b']],
    [' { "url" : "U" , "toString" : 1 } ', ['toString']],
  ])('%s has every member that was given', async (body, names) => {
    const { options } = await read(body.replace('U', url));
    expect(options.map(([name]) => name)).toEqual(names);
  });

  it.each([
    ['nothing', ''],
    ['rubbish', '{"url":'],
    ['a comment', `{"url":"${url}"/* x */}`],
    ['a comma too many', `{"url":"${url}",}`],
    ['an array', `["${url}"]`],
    ['a string', JSON.stringify(url)],
    ['null', 'null'],
    ['what is not UTF-8', Uint8Array.from([...Buffer.from('{"url":"'), 0xff, 0x22, 0x7d])],
  ])('is not %s', async (_what, body) => {
    expect(await refusal(body)).toBe('invalid_request');
  });

  it.each([
    ['is missing', '{"URL":"https://a.example"}'],
    ['is null', '{"url":null}'],
    ['is a list', `{"url":["${url}"]}`],
    ['is given twice', `{"url":"https://a.example","url":"${url}"}`],
  ])('is refused when its url %s', async (_what, body) => {
    expect(await refusal(body)).toBe('invalid_request url');
  });

  it.each(['true', 'null', '[80]', '{"url":"x"}'])('has no option that is %s', async (value) => {
    expect(await refusal(`{"url":"${url}","quality":${value}}`)).toBe('invalid_options quality');
  });

  it('may be nested as deep as 64 KiB allow, and hides no member in that', async () => {
    const deep = '['.repeat(30_000) + ']'.repeat(30_000);
    expect(await refusal(`{"url":"${url}","a":${deep}}`)).toBe('invalid_options a');
    const { options } = await read(`{"url":"${url}","a":${deep},"a":1}`);
    expect(options).toEqual([
      ['a', '1'],
      ['a', '1'],
    ]);
  });

  it('takes 64 KiB at most, announced or not', async () => {
    const fill = (size: number) => `{"url":"${url}"}`.padEnd(size);
    expect((await read(fill(64 * 1024))).url).toBe(url);
    expect(await refusal(fill(64 * 1024 + 1))).toBe('body_too_large');
    expect(await refusal('{}', 64 * 1024 + 1)).toBe('body_too_large');
  });
});
