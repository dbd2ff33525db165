import { expect, it } from 'vitest';
import { readAnswer } from '../../src/client/answer.ts';
import type { OptimizeOptions } from '../../src/options.ts';
import { halved, jpegLike, webpLike } from '../support/folders.ts';

const sent = new Uint8Array(jpegLike(1));
const smaller = halved(jpegLike(1));

interface Reply {
  readonly body?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly options?: OptimizeOptions;
}

/** What becomes of a response to the image `sent`. */
function read({ body = smaller, headers = {}, options = {} }: Reply) {
  const all = new Headers({
    'Content-Type': 'image/jpeg',
    'Content-Length': String(body.length),
    'Image-Width': '1',
    'Image-Height': '1',
    'Image-Input-Type': 'image/jpeg',
    'Image-Output-Bytes': String(body.length),
    'Image-Quality': '77',
    'Quota-Remaining': '400',
    ...headers,
  });
  return readAnswer(new Uint8Array(body), all, { bytes: sent, options });
}

it.each<[string, Reply]>([
  ['a whole image', {}],
  [
    'a compressed response, whose length is another',
    {
      headers: { 'Content-Encoding': 'gzip', 'Content-Length': '5' },
    },
  ],
  [
    'the format that was asked for',
    {
      body: webpLike,
      headers: { 'Content-Type': 'image/webp' },
      options: { format: 'webp' },
    },
  ],
  [
    'any format, if the service may choose',
    {
      body: webpLike,
      headers: { 'Content-Type': 'image/webp' },
      options: { format: 'auto' },
    },
  ],
  [
    'the image itself, whatever is in it',
    { body: Buffer.from(sent), headers: { 'Image-Width': '9' } },
  ],
])('%s is an answer', async (_, reply) => {
  expect(await read(reply)).toMatchObject({ kind: 'answer', answer: { quotaRemaining: 400 } });
});

it.each<[string, Reply, string]>([
  ['the first eight bytes of an image', { body: smaller.subarray(0, 8) }, 'damaged or incomplete'],
  ['an image without its end', { body: smaller.subarray(0, -2) }, 'damaged or incomplete'],
  [
    'an image of other dimensions',
    { headers: { 'Image-Width': '2' } },
    'does not have 1 × 1 pixels',
  ],
  ['an image of another length', { headers: { 'Content-Length': '999' } }, 'arrived incomplete'],
  ['an image cut short', { headers: { 'Image-Output-Bytes': '1999' } }, 'arrived incomplete'],
  ['text', { body: Buffer.from('no image') }, 'it is no image/jpeg'],
])('%s is damage, which another try may mend', async (_, reply, text) => {
  const outcome = await read(reply);
  expect(outcome).toMatchObject({
    kind: 'damaged',
    error: { code: 'unexpected_answer', stop: null },
  });
  expect((outcome as { error: Error }).error.message).toContain(text);
});

it.each<[string, Reply]>([
  ['a type that is none of ours', { headers: { 'Content-Type': 'image/svg+xml' } }],
  ['a type that every object has', { headers: { 'Content-Type': 'constructor' } }],
  ['no dimensions', { headers: { 'Image-Height': '' } }],
  ['the result for an image of another type', { headers: { 'Image-Input-Type': 'image/png' } }],
  [
    'a format that was not asked for',
    {
      body: webpLike,
      headers: { 'Content-Type': 'image/webp' },
    },
  ],
])('%s is no answer of the service', async (_, reply) => {
  expect(await read(reply)).toMatchObject({ kind: 'failed', error: { code: 'unexpected_answer' } });
});

it.each(['many', '-1', '1e9', '9'.repeat(400), ' '])(
  'Quota-Remaining: %s is no number of files',
  async (text) => {
    const headers = { 'Quota-Remaining': text };
    expect(await read({ headers })).toMatchObject({ answer: { quotaRemaining: null } });
  },
);
