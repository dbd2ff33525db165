import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainPicture, sample } from '../../support/pictures.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { type RawTinifyAnswer, rawAnswer } from '../../support/tinify/raw-answer.ts';
import {
  basic,
  type Caller,
  fopen,
  rawClients,
  rawMessage,
} from '../../support/tinify/raw-requests.ts';
import { startTinifyService, type TinifyService } from '../../support/tinify/service.ts';
import { madeUpKey } from '../../support/tokens.ts';

const email = 'someone@example.com';

let service: TinifyService;
let caller: Caller;
let stranger: Caller;
/** 120 × 80. */
let photo: Buffer;
/** 512 × 512, with alpha. */
let logo: Uint8Array;
beforeAll(async () => {
  service = await startTinifyService();
  const { host } = new URL(service.plainOrigin);
  caller = { host, key: await service.newKey(email) };
  stranger = { host, key: await madeUpKey() };
  photo = await plainPicture(120, 80).jpeg({ quality: 95 }).toBuffer();
  logo = await sample('logo.png');
}, 120_000);
afterAll(() => service.close());

function send(request: Uint8Array): Promise<RawTinifyAnswer> {
  return rawAnswer(service.plainOrigin, request);
}

/** The path of a result, after checking the response that contains it. */
function outputPath(answer: RawTinifyAnswer): string {
  expect(answer.status, answer.body.toString()).toBe(201);
  const location = answer.header('Location') ?? '';
  expect(location).toMatch(/^https:\/\/localhost:\d+\/output\/\w+$/);
  return new URL(location).pathname;
}

/** The image in a response, after checking all headers that clients read, in the spelling that they expect. */
async function picture(answer: RawTinifyAnswer) {
  expect(answer.status, answer.body.toString('latin1', 0, 300)).toBe(200);
  const { format, width, height } = await sharp(answer.body).metadata();
  const type = format === 'heif' ? 'avif' : format;
  expect({
    'Content-Type': answer.header('Content-Type'),
    'Content-Length': answer.header('Content-Length'),
    'Content-Encoding': answer.header('Content-Encoding'),
    'Image-Width': answer.header('Image-Width'),
    'Image-Height': answer.header('Image-Height'),
  }).toEqual({
    'Content-Type': `image/${type}`,
    'Content-Length': String(answer.body.length),
    'Content-Encoding': null,
    'Image-Width': String(width),
    'Image-Height': String(height),
  });
  expectCounts(answer);
  return { type, size: `${width}x${height}`, bytes: answer.body };
}

/** Clients read them as whole numbers, and some fail on anything else. */
function expectCounts(answer: RawTinifyAnswer): void {
  expect(answer.header('Compression-Count')).toMatch(/^\d+$/);
  expect(answer.header('Compression-Count-Remaining')).toMatch(/^\d+$/);
}

function expectError(answer: RawTinifyAnswer, status: number, error: string, message?: string) {
  expect(answer.status).toBe(status);
  const told = answer.json();
  expect(told).toEqual({ error, message: message ?? expect.stringMatching(/./) });
  // The plugin cuts messages at this text.
  expect(told.message).not.toContain(' (HTTP');
}

describe.each(Object.entries(rawClients))('%s', (_name, client) => {
  it('finds its key valid, and another one not', async () => {
    const answer = await send(client.validate(caller));
    expectError(answer, 400, 'Input missing', 'Input file is empty.');
    const refusal = await send(client.validate(stranger));
    expectError(refusal, 401, 'Unauthorized', 'Credentials are invalid.');
    expect(refusal.header('WWW-Authenticate')).toBeNull();
    expect(refusal.header('Compression-Count')).toBeNull();
  });

  it('gets a smaller image, and is told all about it before', async () => {
    const shrunk = await send(client.shrink(caller, photo));
    const path = outputPath(shrunk);
    expectCounts(shrunk);
    const result = await picture(await send(client.result(caller, path)));
    expect(result).toMatchObject({ type: 'jpeg', size: '120x80' });
    expect(result.bytes.length).toBeLessThan(photo.length);
    expect([shrunk.header('Image-Width'), shrunk.header('Image-Height')]).toEqual(['120', '80']);
    expect(shrunk.json()).toEqual({
      input: { size: photo.length, type: 'image/jpeg' },
      output: {
        size: result.bytes.length,
        type: 'image/jpeg',
        width: 120,
        height: 80,
        ratio: Math.round((10_000 * result.bytes.length) / photo.length) / 10_000,
        url: shrunk.header('Location'),
      },
    });
  });

  it('gets an image by its URL, however it writes that', async () => {
    const url = service.foreign.serve('/a+b.jpg', photo);
    const shrunk = await send(client.shrinkUrl(caller, `${url}?x=<1>&y='2'`));
    await picture(await send(client.result(caller, outputPath(shrunk))));
    expect(service.foreign.asked.at(-1)?.url).toBe('/a+b.jpg?x=%3C1%3E&y=%272%27');
  });

  it('gets what its commands make of the upload', { tags: 'slow' }, async () => {
    const path = outputPath(await send(client.shrink(caller, logo)));
    const commands = {
      resize: { method: 'fit', width: 50, height: 20 },
      preserve: ['copyright', 'creation'],
      convert: { type: ['image/webp', 'image/jpeg'] },
      transform: { background: '#FFFFFF' },
    };
    const { type, size } = await picture(await send(client.result(caller, path, commands)));
    expect(type).toMatch(/^(?:webp|jpeg)$/);
    expect(size).toBe('20x20');
    const refusal = await send(client.result(caller, path, { preserve: ['author'] }));
    const message = "Metadata key 'author' not supported";
    expectError(refusal, 400, 'JSON validation error', message);
    expectCounts(refusal);
  });
});

describe('the WordPress plugin without curl', () => {
  it('finds its key valid, with all that it shows of an account', async () => {
    const key = await service.newKey('plugin@example.com');
    const answer = await send(fopen.validate({ ...caller, key }));
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({});
    expect({
      count: answer.header('Compression-Count'),
      remaining: answer.header('Compression-Count-Remaining'),
      state: answer.header('Paying-State'),
      address: answer.header('Email-Address'),
    }).toEqual({ count: '0', remaining: '1000', state: 'free', address: 'plugin@example.com' });
    const refusal = await send(fopen.validate(stranger));
    expectError(refusal, 401, 'Unauthorized', 'Credentials are invalid.');
  });

  it('is told that nothing is left with everything that it shows of an account', async () => {
    const spent = { ...caller, key: await service.newKey('spent@example.com', 1) };
    const path = outputPath(await send(fopen.shrink(spent, photo)));
    await picture(await send(fopen.result(spent, path)));
    const answer = await send(fopen.shrink(spent, photo));
    expectError(answer, 429, 'Too many requests');
    expect({
      count: answer.header('Compression-Count'),
      remaining: answer.header('Compression-Count-Remaining'),
      state: answer.header('Paying-State'),
      address: answer.header('Email-Address'),
    }).toEqual({ count: '1', remaining: '0', state: 'free', address: 'spent@example.com' });
  });

  it('sends an image as a form that is none', async () => {
    const path = outputPath(await send(fopen.shrink(caller, photo)));
    expect(await picture(await send(fopen.result(caller, path)))).toMatchObject({ type: 'jpeg' });
  });

  it('sends commands with GET, as JSON that is also called a form', async () => {
    const path = outputPath(await send(fopen.shrink(caller, photo)));
    const commands = { preserve: ['copyright'], resize: { method: 'scale', width: 60 } };
    const result = await picture(await send(fopen.result(caller, path, commands)));
    expect(result).toMatchObject({ type: 'jpeg', size: '60x40' });
  });

  it('asks for conversions with nothing, and writes what it gets into a file: the image, never an error', async () => {
    const path = outputPath(await send(fopen.shrink(caller, photo)));
    const plain = await picture(await send(fopen.result(caller, path)));
    expect(await picture(await send(fopen.convert(caller, path)))).toEqual(plain);
  });

  it('speaks HTTP/1.0 under PHP 7', async () => {
    const old = (request: Buffer) =>
      send(Buffer.from(request.toString('latin1').replace(/ HTTP\/1\.1/, ' HTTP/1.0'), 'latin1'));
    const path = outputPath(await old(fopen.shrink(caller, photo)));
    const commands = { resize: { method: 'scale', width: 60 } };
    const result = await picture(await old(fopen.result(caller, path, commands)));
    expect(result).toMatchObject({ type: 'jpeg', size: '60x40' });
  });

  it('is refused a new account in words that say where accounts are made, without credentials too', async () => {
    const body = Buffer.from(
      JSON.stringify({ email: 'new@example.com', name: 'n', identifier: 'i', link: 'l' }),
    );
    const headers = [
      `Host: ${caller.host}`,
      // What libcurl sends for empty credentials.
      `Authorization: ${basic('', '')}`,
      'User-Agent: Tinify/1.6.4 PHP/8.2.36 curl/7.88.1 WordPress/6.6 Plugin/3.7.0',
      'Accept: */*',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    const answer = await send(rawMessage('POST /keys HTTP/1.1', headers, body));
    expectError(answer, 403, 'Forbidden');
    expect(answer.json().message).toContain(service.origin);
  });
});

describe('an upload', () => {
  const headers = () => [`Host: ${caller.host}`, `Authorization: ${basic(caller.key)}`];

  it('may come in chunks, without a length', async () => {
    const chunks = [photo.subarray(0, 100), photo.subarray(100)].flatMap((chunk) => [
      Buffer.from(`${chunk.length.toString(16)}\r\n`),
      chunk,
      Buffer.from('\r\n'),
    ]);
    const body = Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
    const coded = [...headers(), 'Transfer-Encoding: chunked'];
    const path = outputPath(await send(rawMessage('POST /shrink HTTP/1.1', coded, body)));
    await picture(await send(rawMessage(`GET ${path} HTTP/1.1`, headers())));
    const nothing = await send(
      rawMessage('POST /shrink HTTP/1.1', coded, Buffer.from('0\r\n\r\n')),
    );
    expectError(nothing, 400, 'Input missing', 'Input file is empty.');
  });

  it('is waited for by those who wait to be asked for it', { tags: 'slow' }, async () => {
    const large = await sharp(await sample('phone.jpg'))
      .jpeg({ quality: 96 })
      .toBuffer();
    expect(large.length).toBeGreaterThan(2 ** 20);
    const request = rawClients['PHP 1.6.4']?.shrink(caller, large) ?? Buffer.alloc(0);
    const bodyStart = request.indexOf('\r\n\r\n') + 4;
    const { text } = await rawRequest(
      new URL(service.plainOrigin),
      request.subarray(0, bodyStart),
      { patience: 1000 },
    );
    // A 100 is not a response; libcurl would send the body now, or after a second in any case.
    expect(text).toMatch(/^(?:HTTP\/1\.1 100 Continue\r\n\r\n)?$/);
    outputPath(await send(request));
  });

  it('of JSON without a URL is refused, whatever else it has', async () => {
    // What Node’s client sends for bytes that are not a Buffer.
    const bytes = Buffer.from(JSON.stringify(Uint8Array.from(photo)));
    for (const body of [bytes, Buffer.from('[]'), Buffer.from('null'), Buffer.from('{')]) {
      const json = [
        ...headers(),
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ];
      const answer = await send(rawMessage('POST /shrink HTTP/1.1', json, body));
      expect(answer.status).toBe(400);
      expect(answer.json().error).toMatch(/^(?:Bad request|JSON validation error)$/);
    }
  });

  it('of JSON in which non-ASCII was miscounted is refused, and what is left over of it with it', async () => {
    const url = service.foreign.at('/süß.jpg');
    const text = JSON.stringify({ source: { url } });
    const json = [...headers(), 'Content-Type: application/json', `Content-Length: ${text.length}`];
    const request = rawMessage('POST /shrink HTTP/1.1', json, Buffer.from(text));
    expectError(await send(request), 400, 'Bad request');
    const next = rawClients['Node 1.8.1']?.validate(caller) ?? Buffer.alloc(0);
    const both = Buffer.concat([request, next]);
    const { text: answers } = await rawRequest(new URL(service.plainOrigin), both, { answers: 2 });
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 400']);
  });
});

it('a result is never compressed again, also for clients that could undo it', async () => {
  const path = outputPath(await send(fopen.shrink(caller, photo)));
  const headers = [
    `Host: ${caller.host}`,
    `Authorization: ${basic(caller.key)}`,
    'Accept-Encoding: gzip, br',
  ];
  await picture(await send(rawMessage(`GET ${path} HTTP/1.1`, headers)));
});
