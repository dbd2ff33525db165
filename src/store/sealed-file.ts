import type { Secret } from '../access/secrets.ts';

/**
 * Files at rest: AES-256-GCM in pieces, so that neither sealing nor opening one takes more memory than a piece of it. The first
 * piece is a head of fixed size, which says how long the file is; its pieces follow in their order. Each is bound to the file
 * and to its place by its nonce, and the length that the head states is what is read: nothing can be swapped, added or left
 * out (after the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár 2015).
 */
export const pieceBytes = 2 ** 20;
const tagBytes = 16;
const headBytes = 512;

/** What it takes to seal or open a file of so many bytes, beside the file: a piece as it is, and sealed. */
export function sealingBytes(fileBytes: number): number {
  return 2 * (Math.max(headBytes, Math.min(fileBytes, pieceBytes)) + tagBytes);
}

/** What is said of a file in its head, beside its length. */
export type Head = Readonly<Record<string, string | number>>;

/** A key seals one file of each kind. */
export interface Seal {
  readonly key: Secret;
  readonly kind: 'upload' | 'result';
}

/** How long a file is when it is sealed, in bytes. */
export function sealedLength(fileBytes: number): number {
  const pieces = Math.ceil(fileBytes / pieceBytes);
  return headBytes + fileBytes + (1 + pieces) * tagBytes;
}

/** The pieces of a sealed file, in their order. */
export async function* sealed(
  file: Uint8Array,
  head: Head,
  seal: Seal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const key = await imported(seal.key, 'encrypt');
  const text = JSON.stringify({ ...head, length: file.length });
  const plain = new Uint8Array(headBytes).fill(0x20);
  if (new TextEncoder().encodeInto(text, plain).read < text.length)
    throw new RangeError('too long a head');
  yield await sealPiece(key, seal, 0, plain);
  for (let at = 0, place = 1; at < file.length; at += pieceBytes, place += 1) {
    yield await sealPiece(key, seal, place, new Uint8Array(file.subarray(at, at + pieceBytes)));
  }
}

async function sealPiece(
  key: CryptoKey,
  { kind }: Seal,
  place: number,
  piece: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const sealed = await crypto.subtle.encrypt(cipher(kind, place), key, piece);
  piece.buffer.transfer(0);
  return new Uint8Array(sealed);
}

/** A sealed file that is being read. */
export interface OpenedFile {
  readonly head: Head;
  /** In bytes. */
  readonly length: number;
  /** Its pieces, of which each holds until the next is asked for. */
  pieces(): AsyncGenerator<Uint8Array>;
  /** Ends the reading, however far it has come. */
  close(): Promise<void>;
}

/**
 * Opens a sealed file.
 * @throws Error where it breaks off, was sealed under another key, or has been tampered with
 */
export async function opened(stream: ReadableStream<Uint8Array>, seal: Seal): Promise<OpenedFile> {
  const key = await imported(seal.key, 'decrypt');
  const reader = stream.getReader({ mode: 'byob' });
  const piece = async (place: number, length: number) => {
    const sealedPiece = await readExactly(reader, length + tagBytes);
    const plain = await crypto.subtle.decrypt(cipher(seal.kind, place), key, sealedPiece);
    sealedPiece.buffer.transfer(0);
    return new Uint8Array(plain);
  };
  const close = () => reader.cancel().catch(() => {});
  let first: Uint8Array;
  try {
    first = await piece(0, headBytes);
  } catch (error) {
    await close();
    throw error;
  }
  const { length, ...head } = JSON.parse(new TextDecoder().decode(first));
  return {
    head,
    length,
    close,
    async *pieces() {
      for (let at = 0, place = 1; at < length; at += pieceBytes, place += 1) {
        const bytes = await piece(place, Math.min(pieceBytes, length - at));
        yield bytes;
        bytes.buffer.transfer(0);
      }
    },
  };
}

async function readExactly(
  reader: ReadableStreamBYOBReader,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  let buffer = new ArrayBuffer(length);
  for (let size = 0; size < length; ) {
    const { value, done } = await reader.read(new Uint8Array(buffer, size));
    if (done || !value) throw new Error('a sealed file that breaks off');
    // the buffer is transferred with every read
    buffer = value.buffer as ArrayBuffer;
    size += value.length;
  }
  return new Uint8Array(buffer);
}

/** A nonce for each piece of each kind; the key is one file's alone. */
function cipher(kind: Seal['kind'], place: number): { name: 'AES-GCM'; iv: Uint8Array } {
  const iv = new Uint8Array(12);
  iv[0] = kind === 'upload' ? 1 : 2;
  new DataView(iv.buffer).setUint32(8, place);
  return { name: 'AES-GCM', iv };
}

function imported(key: Secret, usage: 'encrypt' | 'decrypt'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', key, 'AES-GCM', false, [usage]);
}
