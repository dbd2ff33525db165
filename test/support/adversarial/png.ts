import { chunk } from '../pictures.ts';
import { joined, repeated } from './bit-writer.ts';
import { type CostlyBlocks, costlyStream, dribblingStream } from './deflate.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

const small: Size = { width: 64, height: 64 };

/** A small PNG whose image data begin with costly blocks of this length. */
export function pngOfBlocks(
  blocks: CostlyBlocks,
  bytes: number,
  size = small,
): Uint8Array<ArrayBuffer> {
  return png(size, [chunk('IDAT', costlyStream(blocks, rowsOf(size), bytes))]);
}

/** A PNG of zeros in which each byte is a block of its own. */
export function dribblingPng(size: Size): Uint8Array<ArrayBuffer> {
  return png(size, [chunk('IDAT', dribblingStream(rowBytes(size) * size.height))]);
}

/** An APNG whose frames of 64 × 64 pixels begin with costly blocks of this length each. */
export function apngOfBlocks(
  blocks: CostlyBlocks,
  frames: number,
  bytes: number,
): Uint8Array<ArrayBuffer> {
  const stream = costlyStream(blocks, rowsOf(small), bytes);
  const chunks = [chunk('acTL', joined(be32(frames), be32(0)))];
  let sequence = 0;
  for (let i = 0; i < frames; i += 1) {
    const at = [sequence++, small.width, small.height, 0, 0].map(be32);
    chunks.push(chunk('fcTL', joined(...at, Uint8Array.of(0, 1, 0, 100, 0, 0))));
    if (i === 0) chunks.push(chunk('IDAT', stream));
    else chunks.push(chunk('fdAT', joined(be32(sequence++), stream)));
  }
  return png(small, chunks);
}

/** A small PNG with a profile that begins with costly blocks of this length. */
export function pngOfProfile(
  blocks: CostlyBlocks,
  profile: Uint8Array,
  bytes: number,
  size = small,
): Uint8Array<ArrayBuffer> {
  const content = joined(ascii('profile\0\0'), costlyStream(blocks, profile, bytes));
  return png(size, [chunk('iCCP', content), imageData(small)]);
}

/** A PNG whose header states any size, with a deflated text that begins with costly blocks of this length. */
export function pngOfText(
  type: 'zTXt' | 'iTXt',
  blocks: CostlyBlocks,
  bytes: number,
  { keyword = 'Comment', ...size }: Partial<Size> & { readonly keyword?: string } = {},
): Uint8Array<ArrayBuffer> {
  const head = `${keyword}\0${type === 'zTXt' ? '\0' : '\x01\0\0\0'}`;
  const content = joined(ascii(head), costlyStream(blocks, ascii('text'), bytes));
  return png({ ...small, ...size }, [chunk(type, content), imageData(small)]);
}

/** A small PNG with chunks without data, of this many bytes altogether. */
export function pngOfChunks(type: string, bytes: number): Uint8Array<ArrayBuffer> {
  return png(small, [repeated(chunk(type, new Uint8Array()), bytes), imageData(small)]);
}

/** A small PNG whose image data stand in chunks of one byte, after empty blocks. */
export function pngOfTinyChunks(bytes: number): Uint8Array<ArrayBuffer> {
  const stream = costlyStream(
    'empty stored blocks',
    rowsOf(small),
    Math.min(98_000, Math.floor(bytes / 13)),
  );
  return png(small, [
    Buffer.concat(Array.from(stream, (byte) => chunk('IDAT', Uint8Array.of(byte)))),
  ]);
}

function png({ width, height }: Size, chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const header = joined(be32(width), be32(height), Uint8Array.of(8, 6, 0, 0, 0));
  return joined(
    ascii('\x89PNG\r\n\x1a\n'),
    chunk('IHDR', header),
    ...chunks,
    chunk('IEND', new Uint8Array()),
  );
}

function imageData(size: Size): Uint8Array {
  return chunk('IDAT', costlyStream('empty stored blocks', rowsOf(size), 5));
}

/** Bytes of an RGBA row with its filter. */
function rowBytes({ width }: Size): number {
  return 1 + 4 * width;
}

/** A gradient. */
function rowsOf(size: Size): Uint8Array {
  const rows = new Uint8Array(rowBytes(size) * size.height);
  for (let y = 0; y < size.height; y += 1) {
    for (let x = 0; x < size.width; x += 1) {
      rows.set([4 * x, 4 * y, 2 * (x + y), 255], y * rowBytes(size) + 1 + 4 * x);
    }
  }
  return rows;
}

function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function be32(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}
