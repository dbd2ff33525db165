import { describe, expect, it } from 'vitest';
import { HeldBytes } from '../../../../src/routes/optimize/held-body.ts';
import { readMultipart } from '../../../../src/routes/optimize/multipart.ts';
import { itForEach } from '../../../support/each.ts';

const boundaries = ['----a-boundary', 'ends-with-dashes--'];

/** Contains many beginnings of a boundary, for which the parser has to wait for more bytes. */
const picture = new TextEncoder().encode(`\r\n--\r\n-${'x\r\n----a-bound'.repeat(9000)}\r`);

function form(boundary: string): Uint8Array {
  const text = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head = `${text('format', 'webp')}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a photo.png"\r\nContent-Type: image/png\r\n\r\n`;
  const end = `\r\n${text('width', '8'.repeat(900))}${text('height', '600')}--${boundary}--\r\n`;
  return Uint8Array.from(Buffer.concat([Buffer.from(head), picture, Buffer.from(end)]));
}

/** A body that arrives in pieces of these lengths, repeated cyclically. */
function inPieces(bytes: Uint8Array, lengths: readonly number[]): ReadableStream<Uint8Array> {
  let at = 0;
  let piece = 0;
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const length = lengths[piece++ % lengths.length] ?? 1;
      controller.enqueue(bytes.slice(at, at + length));
      at += length;
      if (at < bytes.length) return;
      controller.close();
      controller.byobRequest?.respond(0);
    },
  });
}

async function read(boundary: string, body: ReadableStream<Uint8Array>, announced: number | null) {
  const held = new HeldBytes({ owner: 'someone', announced, renew: () => {} });
  const form = await readMultipart(body, `multipart/form-data; boundary=${boundary}`, held);
  const isWhole = Buffer.compare(held.bytes, picture) === 0;
  held.end();
  return { ...form, isWhole };
}

const whole = {
  isWhole: true,
  name: 'a photo.png',
  fields: [
    ['format', 'webp'],
    ['width', '8'.repeat(900)],
    ['height', '600'],
  ],
};

describe.each(boundaries)('a form with boundary %s', (boundary) => {
  const bytes = form(boundary);

  it.each([
    [[1_000_000]],
    [[65_536]],
    [[4096]],
    [[257]],
    [[255, 1]],
    [[97]],
    [[13, 900]],
    [[2]],
    [[3, 1]],
  ])('is the same when it comes in pieces of %j bytes', { tags: 'slow' }, async (lengths) => {
    expect(await read(boundary, inPieces(bytes, lengths), bytes.length)).toEqual(whole);
    expect(await read(boundary, inPieces(bytes, lengths), null)).toEqual(whole);
  });

  itForEach([7, 1], 'is the same wherever it is cut near its end, in steps of %i', async (step) => {
    for (let last = 1; last < 1300; last += step) {
      const body = inPieces(bytes, [bytes.length - last, last]);
      expect(await read(boundary, body, bytes.length)).toEqual(whole);
    }
  });
});

it('a field in tiny pieces takes the memory of its bytes alone', async () => {
  const head = Buffer.from('--X\r\nContent-Disposition: form-data; name="format"\r\n\r\n');
  const end = Buffer.from('\r\n--X--\r\n');
  const pieces = Array.from({ length: 400 }, () => Buffer.from('aaaaa'));
  const before = process.memoryUsage().arrayBuffers;
  let taken = 0;
  const body = new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const piece = [head, ...pieces, end][taken];
      taken += 1;
      if (piece) controller.enqueue(Uint8Array.from(piece));
      else {
        expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 2 ** 20);
        controller.close();
        controller.byobRequest?.respond(0);
      }
    },
  });
  const held = new HeldBytes({ owner: 'someone', announced: 200_000, renew: () => {} });
  await expect(readMultipart(body, 'multipart/form-data; boundary=X', held)).rejects.toMatchObject({
    code: 'invalid_request',
  });
  held.end();
  expect(taken).toBe(403);
});
