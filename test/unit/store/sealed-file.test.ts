import { describe, expect, it } from 'vitest';
import {
  type Head,
  openSealedFile,
  pieceBytes,
  type Seal,
  sealedLength,
  sealFile,
} from '../../../src/store/sealed-file.ts';

const seal: Seal = { key: new Uint8Array(32).fill(7), kind: 'result' };

function file(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, i) => (i * 7) ^ (i >> 9));
}

async function sealedBytes(bytes: Uint8Array, head: Head = {}, by = seal): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of sealFile(bytes, head, by)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** A stream that yields its bytes in chunks of all sizes. */
function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  let size = 1;
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const chunk = Uint8Array.from(bytes.subarray(at, at + size));
      if (chunk.length > 0) controller.enqueue(chunk);
      at += size;
      size = (size * 3) % 70_001;
      if (at < bytes.length) return;
      controller.close();
      controller.byobRequest?.respond(0);
    },
  });
}

async function openedBytes(bytes: Uint8Array, by = seal) {
  const { head, length, pieces } = await openSealedFile(streamOf(bytes), by);
  const whole: Buffer[] = [];
  for await (const piece of pieces()) whole.push(Buffer.from(piece));
  return { head, length, bytes: Buffer.concat(whole) };
}

describe('a sealed file', () => {
  it.each([0, 1, 1000, pieceBytes - 1, pieceBytes, pieceBytes + 1, 2.5 * pieceBytes])(
    'of %d bytes is opened again, with its head',
    { tags: 'slow' },
    async (length) => {
      const head = { type: 'jpeg', width: 3 };
      const bytes = await sealedBytes(file(length), head);
      expect(bytes.length).toBe(sealedLength(length));
      const again = await openedBytes(bytes);
      expect(again).toEqual({ head, length, bytes: Buffer.from(file(length)) });
    },
  );

  it('shows neither its bytes nor its head, and equal pieces differ', async () => {
    const bytes = await sealedBytes(new Uint8Array(2 * pieceBytes), { type: 'jpeg' });
    expect(bytes.includes('jpeg')).toBe(false);
    expect(bytes.includes(Buffer.alloc(16))).toBe(false);
    const [first, second] = [0, 1].map((place) =>
      bytes.subarray(528 + place * (pieceBytes + 16), 528 + place * (pieceBytes + 16) + 64),
    );
    expect(first).not.toEqual(second);
  });

  it('is not opened under another key or as another kind, nor when anything of it was changed', async () => {
    const bytes = await sealedBytes(file(pieceBytes + 500));
    await expect(openedBytes(bytes, { ...seal, kind: 'upload' })).rejects.toThrow();
    const other = { ...seal, key: new Uint8Array(32).fill(8) };
    await expect(openedBytes(bytes, other)).rejects.toThrow();
    for (const at of [0, 100, 530, 1000, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(openedBytes(changed), String(at)).rejects.toThrow();
    }
    await expect(openedBytes(bytes.subarray(0, -1))).rejects.toThrow('breaks off');
    await expect(openedBytes(bytes.subarray(0, 528 + pieceBytes + 16))).rejects.toThrow();
  });

  it('has its pieces in their places', async () => {
    const bytes = await sealedBytes(file(3 * pieceBytes));
    const size = pieceBytes + 16;
    const swapped = Buffer.from(bytes);
    bytes.copy(swapped, 528, 528 + size, 528 + 2 * size);
    bytes.copy(swapped, 528 + size, 528, 528 + size);
    await expect(openedBytes(swapped)).rejects.toThrow();
  });

  it('takes no head that is too long', async () => {
    await expect(sealedBytes(file(1), { text: 'x'.repeat(600) })).rejects.toThrow(RangeError);
  });
});
