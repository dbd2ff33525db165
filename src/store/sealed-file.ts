import type { Secret } from '../access/secrets.ts';

/**
 * Files at rest: AES-256-GCM in pieces, so that sealing and opening take no more memory than one piece. The first piece
 * is a head of fixed size that states the length of the file; the pieces of the file follow in order. Each is bound to
 * the file and to its position by its nonce, and exactly the length in the head is read: nothing can be swapped, added
 * or removed (based on the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár 2015).
 */
export const pieceBytes = 2 ** 20;
const tagBytes = 16;
const headBytes = 512;

/**
 * Memory for sealing or opening a file of this size, in addition to the file: one piece in plain and in sealed form.
 */
export function sealingBytes(fileBytes: number): number {
  return 2 * (Math.max(headBytes, Math.min(fileBytes, pieceBytes)) + tagBytes);
}

/** Metadata of a file in its head, in addition to its length. */
export type Head = Readonly<Record<string, string | number>>;

/** The key and kind of a sealed file; a key seals one file of each kind. */
export interface Seal {
  readonly key: Secret;
  readonly kind: 'upload' | 'result';
}

/** The size of a file when sealed, in bytes. */
export function sealedLength(fileBytes: number): number {
  const pieces = Math.ceil(fileBytes / pieceBytes);
  return headBytes + fileBytes + (1 + pieces) * tagBytes;
}

/** The pieces of a sealed file, in order. */
export async function* sealFile(
  file: Uint8Array,
  head: Head,
  seal: Seal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const key = await importKey(seal.key, 'encrypt');
  const text = JSON.stringify({ ...head, length: file.length });
  const plain = new Uint8Array(headBytes).fill(0x20);
  if (new TextEncoder().encodeInto(text, plain).read < text.length)
    throw new RangeError('too long a head');
  yield await sealPiece(key, seal, 0, plain);
  for (let at = 0, position = 1; at < file.length; at += pieceBytes, position += 1) {
    yield await sealPiece(key, seal, position, new Uint8Array(file.subarray(at, at + pieceBytes)));
  }
}

async function sealPiece(
  key: CryptoKey,
  { kind }: Seal,
  position: number,
  piece: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const sealed = await crypto.subtle.encrypt(cipher(kind, position), key, piece);
  piece.buffer.transfer(0);
  return new Uint8Array(sealed);
}

/** A sealed file that is being read. */
export interface OpenedFile {
  readonly head: Head;
  /** Length in bytes. */
  readonly length: number;
  /** The pieces of the file; each is valid until the next one is requested. */
  pieces(): AsyncGenerator<Uint8Array>;
  /** Stops reading, at any point. */
  close(): Promise<void>;
}

/**
 * Opens a sealed file.
 * @throws Error if it is truncated, was sealed under another key, or has been tampered with
 */
export async function openSealedFile(
  stream: ReadableStream<Uint8Array>,
  seal: Seal,
): Promise<OpenedFile> {
  const key = await importKey(seal.key, 'decrypt');
  const reader = stream.getReader({ mode: 'byob' });
  const piece = async (position: number, length: number) => {
    const sealedPiece = await readExactly(reader, length + tagBytes);
    const plain = await crypto.subtle.decrypt(cipher(seal.kind, position), key, sealedPiece);
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
      for (let at = 0, position = 1; at < length; at += pieceBytes, position += 1) {
        const bytes = await piece(position, Math.min(pieceBytes, length - at));
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
    // Each read transfers the buffer.
    buffer = value.buffer as ArrayBuffer;
    size += value.length;
  }
  return new Uint8Array(buffer);
}

/** The cipher with a unique nonce for each piece of each kind; each key belongs to a single file. */
function cipher(kind: Seal['kind'], position: number): { name: 'AES-GCM'; iv: Uint8Array } {
  const iv = new Uint8Array(12);
  iv[0] = kind === 'upload' ? 1 : 2;
  new DataView(iv.buffer).setUint32(8, position);
  return { name: 'AES-GCM', iv };
}

function importKey(key: Secret, usage: 'encrypt' | 'decrypt'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', key, 'AES-GCM', false, [usage]);
}
