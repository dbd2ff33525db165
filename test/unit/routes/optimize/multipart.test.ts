import { describe, expect, it } from 'vitest';
import { HeldBytes } from '../../../../src/routes/optimize/held-bytes.ts';
import { readMultipart } from '../../../../src/routes/optimize/multipart.ts';

const boundary = '----a-boundary';

/** Full of what a boundary begins with, so that the parser has to wait for more. */
const picture = new TextEncoder().encode(`\r\n--\r\n-${'x\r\n----a-bound'.repeat(9000)}\r`);

function form(): Uint8Array {
  const text = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head = `${text('format', 'webp')}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a photo.png"\r\nContent-Type: image/png\r\n\r\n`;
  const end = `\r\n${text('width', '8'.repeat(900))}${text('height', '600')}--${boundary}--\r\n`;
  return Uint8Array.from(Buffer.concat([Buffer.from(head), picture, Buffer.from(end)]));
}

/** A body that comes in pieces of these lengths, over and over. */
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

describe('a form', () => {
  it.each([[1_000_000], [65_536], [4096], [1024], [300], [257], [255, 1], [97], [13, 900], [2]])(
    'that comes in pieces of %j bytes is the same',
    async (...lengths) => {
      const bytes = form();
      for (const announced of [bytes.length, null]) {
        const held = await HeldBytes.admit('someone', announced);
        const type = `multipart/form-data; boundary=${boundary}`;
        const { fields, name } = await readMultipart(inPieces(bytes, lengths), type, held);
        expect(Buffer.compare(held.bytes, picture)).toBe(0);
        expect(name).toBe('a photo.png');
        expect(fields).toEqual([
          ['format', 'webp'],
          ['width', '8'.repeat(900)],
          ['height', '600'],
        ]);
        held.end();
      }
    },
  );

  it.each(Array.from({ length: 40 }, (_, i) => 1 + 29 * i))(
    'is the same when its last piece has %d bytes',
    async (last) => {
      const bytes = form();
      const held = await HeldBytes.admit('someone', bytes.length);
      const body = inPieces(bytes, [bytes.length - last, last]);
      const type = `multipart/form-data; boundary=${boundary}`;
      const { fields } = await readMultipart(body, type, held);
      expect(Buffer.compare(held.bytes, picture)).toBe(0);
      expect(fields.map(([, value]) => value.length)).toEqual([4, 900, 3]);
      held.end();
    },
  );
});
