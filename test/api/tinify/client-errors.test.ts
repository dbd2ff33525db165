import { globalAgent } from 'node:https';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeForEach } from '../../support/each.ts';
import { plainPicture } from '../../support/pictures.ts';
import { type NodeClient, nodeClients, pointAt } from '../../support/tinify/node-clients.ts';
import { startTinifyService, type TinifyService } from '../../support/tinify/service.ts';
import { madeUpKey } from '../../support/tokens.ts';

const email = 'someone@example.com';

let service: TinifyService;
let key: string;
let photo: Buffer;
let transparent: Buffer;
beforeAll(async () => {
  service = await startTinifyService();
  key = await service.newKey(email);
  photo = await plainPicture(60, 40).jpeg({ quality: 95 }).toBuffer();
  const background = { r: 255, g: 0, b: 0, alpha: 0.5 };
  transparent = await sharp({ create: { width: 30, height: 20, channels: 4, background } })
    .png()
    .toBuffer();
}, 120_000);
afterAll(() => service.close());

describeForEach(nodeClients, 'Tinify’s client for %s', (_name, tinify) => {
  beforeEach(() => {
    pointAt(tinify, service);
    tinify.key = key;
  });

  /** The error that a client throws, in the client's terms. */
  async function failure(work: Promise<unknown>) {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof tinify.Error)) throw new Error(`not an error of the client: ${error}`);
    const { AccountError, ClientError, ServerError } = tinify;
    const kind = Object.entries({ AccountError, ClientError, ServerError }).find(
      ([, type]) => error instanceof type,
    )?.[0];
    return { kind, status: error.status, message: error.message };
  }

  it('finds its key valid', { tags: 'slow' }, async () => {
    await expect(tinify.validate()).resolves.toBeUndefined();
    expect(tinify.compressionCount).toBeTypeOf('number');
  });

  it.each([
    ['made up', madeUpKey],
    ['not a key of this service', async () => 'qwertyuiop'],
  ])('finds a key not valid that is %s', { tags: 'slow' }, async (_what, make) => {
    tinify.key = await make();
    const expected = {
      kind: 'AccountError',
      status: 401,
      message: 'Credentials are invalid. (HTTP 401/Unauthorized)',
    };
    expect(await failure(tinify.validate())).toEqual(expected);
    expect(await failure(tinify.fromBuffer(photo).toBuffer())).toEqual(expected);
    const url = service.foreign.serve('/for-nobody.jpg', photo);
    expect(await failure(tinify.fromUrl(url).toBuffer())).toEqual(expected);
    expect(service.foreign.asked.filter((one) => one.url === '/for-nobody.jpg')).toEqual([]);
  });

  it('is told when a key has used what it may, and finds it valid all the same', {
    tags: 'slow',
  }, async () => {
    tinify.key = await service.newKey(email, 1);
    await tinify.fromBuffer(photo).toBuffer();
    expect(await failure(tinify.fromBuffer(photo).toBuffer())).toMatchObject({
      kind: 'AccountError',
      status: 429,
      message: expect.stringMatching(/exceeded\. \(HTTP 429\/Too many requests\)$/),
    });
    expect(tinify.compressionCount).toBe(1);
    await expect(tinify.validate()).resolves.toBeUndefined();
  });

  it.each<[what: string, use: (tinify: NodeClient) => Promise<unknown>, message: string | RegExp]>([
    [
      'an empty image',
      (client) => client.fromBuffer(Buffer.alloc(0)).toBuffer(),
      'Input file is empty. (HTTP 400/Input missing)',
    ],
    [
      'bytes that are no Buffer, which become JSON',
      (client) => client.fromBuffer(Uint8Array.from(photo)).toBuffer(),
      /\(HTTP 400\/JSON validation error\)$/,
    ],
    [
      'a URL that is none',
      (client) => client.fromUrl('photo.jpg').toBuffer(),
      /URL is malformed.* \(HTTP 400\/Source not found\)$/,
    ],
    [
      'a URL where there is no image',
      (client) => client.fromUrl(service.foreign.at('/missing.jpg')).toBuffer(),
      /\(HTTP 400\/Source not found\)$/,
    ],
    [
      'a URL where nobody listens',
      (client) => client.fromUrl(service.nobody).toBuffer(),
      /\(HTTP 400\/Source not found\)$/,
    ],
    [
      'a JPEG of a transparent image without a background',
      (client) =>
        client
          .fromBuffer(transparent)
          .convert({ type: ['image/jpeg'] })
          .toBuffer(),
      /background.* \(HTTP 400\/Bad request\)$/i,
    ],
    [
      'metadata that nobody has',
      (client) => client.fromBuffer(photo).preserve('author').toBuffer(),
      "Metadata key 'author' not supported (HTTP 400/JSON validation error)",
    ],
    [
      'a size without a method',
      (client) => client.fromBuffer(photo).resize({ width: 10 }).toBuffer(),
      /\(HTTP 400\/JSON validation error\)$/,
    ],
    [
      'scale with both sides',
      (client) =>
        client.fromBuffer(photo).resize({ method: 'scale', width: 9, height: 9 }).toBuffer(),
      /\(HTTP 400\/JSON validation error\)$/,
    ],
    [
      'a color that is none',
      (client) => client.fromBuffer(photo).transform({ background: 'mauve' }).toBuffer(),
      /background.* \(HTTP 400\/JSON validation error\)$/,
    ],
    [
      'storing a result elsewhere',
      (client) => client.fromBuffer(photo).store({ service: 's3', path: 'a/b.jpg' }).location(),
      /\(HTTP 400\/Bad request\)$/,
    ],
  ])('is refused %s, and told why', { tags: 'slow' }, async (_what, use, message) => {
    const { kind, status, message: told } = await failure(use(tinify));
    expect({ kind, status }).toEqual({ kind: 'ClientError', status: 400 });
    if (typeof message === 'string') expect(told).toBe(message);
    else expect(told).toMatch(message);
  });

  it('is refused a URL in which it miscounts bytes', { tags: 'slow' }, async () => {
    const url = `${service.foreign.at('/')}süß.jpg`;
    // The bytes beyond the stated length are the beginning of another request, which may be refused before this one.
    expect(await failure(tinify.fromUrl(url).toBuffer())).toMatchObject({
      kind: 'ClientError',
      status: 400,
    });
    globalAgent.destroy();
    await expect(tinify.validate()).resolves.toBeUndefined();
  });

  it('is refused what no result is kept under', { tags: 'slow' }, async () => {
    const lost = Reflect.construct(tinify.Source, [
      Promise.resolve(`${service.origin}/output/nothing`),
    ]) as ReturnType<NodeClient['fromBuffer']>;
    expect(await failure(lost.toBuffer())).toEqual({
      kind: 'ClientError',
      status: 404,
      message: 'Resource not found or expired. (HTTP 404/Not found)',
    });
  });

  it('is refused a file that is too large', { tags: 'slow' }, async () => {
    const large = Buffer.concat([photo, Buffer.alloc(24 * 2 ** 20)]);
    expect(await failure(tinify.fromBuffer(large).toBuffer())).toMatchObject({
      kind: 'ClientError',
      status: 413,
      message: expect.stringMatching(/\(HTTP 413\/Request entity too large\)$/),
    });
  });

  it('is refused what is no image', { tags: 'slow' }, async () => {
    const text = 'Just some words, and many of them.'.repeat(10);
    expect(await failure(tinify.fromBuffer(text).toBuffer())).toEqual({
      kind: 'ClientError',
      status: 415,
      message: 'File type is not supported. (HTTP 415/Unsupported media type)',
    });
  });

  it('is refused an image that is broken', { tags: 'slow' }, async () => {
    const broken = photo.subarray(0, 300);
    expect(await failure(tinify.fromBuffer(broken).toBuffer())).toMatchObject({
      kind: 'ClientError',
      status: 422,
      message: expect.stringMatching(/\(HTTP 422\/Decode error\)$/),
    });
  });

  it('tries once more for a result that is not to be seen yet', { tags: 'slow' }, async () => {
    const source = tinify.fromBuffer(photo);
    await source.toBuffer();
    await service.bindings(async ({ KV }) => {
      const { keys } = await KV.list({ prefix: 'output:' });
      for (const { name } of keys) await KV.delete(name);
    });
    const before = Date.now();
    expect(await failure(source.toBuffer())).toMatchObject({
      kind: 'ServerError',
      status: 503,
      message: expect.stringMatching(/\(HTTP 503\/Service unavailable\)$/),
    });
    expect(Date.now() - before).toBeGreaterThan(500);
  });
});
