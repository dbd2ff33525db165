import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

// Archives as POSIX defines them (ustar), of plain files with short names: what `tar tzf` lists, and no more than that.

/** A file that goes into an archive. */
export interface Packed {
  /** In the archive: at most 100 bytes of ASCII. */
  readonly name: string;
  /** On the disk; it must not change meanwhile. */
  readonly path: string;
}

/** A file that comes out of an archive. */
interface Unpacked {
  readonly name: string;
  /** To be read to the end before the next one is asked for. */
  readonly content: AsyncIterable<Buffer>;
}

const blockBytes = 512;

/** Positions in a header: where a field begins, and its bytes. */
const fields = {
  ...{ name: [0, 100], mode: [100, 8], owner: [108, 8], group: [116, 8], size: [124, 12] },
  ...{ time: [136, 12], checksum: [148, 8], type: [156, 1], format: [257, 8] },
} as const satisfies Record<string, readonly [number, number]>;

/** From this size on, eleven octal digits do not suffice, and the size is a binary number behind a bit that says so. */
const firstBinarySize = 8 ** 11;

/** The bytes of an archive. Its files can be read only by their owner. */
export async function* packed(files: AsyncIterable<Packed>): AsyncGenerator<Buffer> {
  for await (const { name, path } of files) {
    const { size, mtimeMs } = await stat(path);
    yield headerOf(name, size, mtimeMs);
    let bytes = 0;
    for await (const chunk of createReadStream(path)) {
      bytes += chunk.length;
      yield chunk;
    }
    if (bytes !== size) throw new Error(`${path} has changed meanwhile.`);
    yield Buffer.alloc(paddingOf(size));
  }
  yield Buffer.alloc(2 * blockBytes);
}

/**
 * The files of an archive.
 * @throws Error if it is cut short, or holds anything but plain files
 */
export async function* unpacked(archive: AsyncIterable<Buffer>): AsyncGenerator<Unpacked> {
  const source = new Source(archive);
  for (;;) {
    const header = await source.exactly(blockBytes);
    if (header.every((byte) => byte === 0)) break;
    const { name, size } = readHeader(header);
    yield { name, content: source.next(size) };
    await source.exactly(paddingOf(size));
  }
  // What compressed it checks its sum at the very end.
  await source.end();
}

function headerOf(name: string, size: number, mtimeMs: number): Buffer {
  const header = Buffer.alloc(blockBytes);
  const put = (field: keyof typeof fields, text: string) => {
    const [at, length] = fields[field];
    if (Buffer.byteLength(text) > length) throw new RangeError(`Too long for a header: ${text}`);
    header.write(text, at);
  };
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  put('name', name);
  put('mode', octal(0o600, 7));
  put('owner', octal(0, 7));
  put('group', octal(0, 7));
  if (size < firstBinarySize) put('size', octal(size, 11));
  else {
    header[fields.size[0]] = 0x80;
    header.writeBigUInt64BE(BigInt(size), fields.size[0] + 4);
  }
  put('time', octal(Math.floor(mtimeMs / 1000), 11));
  put('type', '0');
  put('format', 'ustar\u000000');
  put('checksum', `${octal(sumOf(header), 6)}\0 `);
  return header;
}

function readHeader(header: Buffer): { name: string; size: number } {
  const text = (field: keyof typeof fields) => {
    const [at, length] = fields[field];
    return header.toString('latin1', at, at + length).replace(/\0.*$/s, '');
  };
  const sum = Number.parseInt(text('checksum'), 8);
  if (sum !== sumOf(header) || !/^0?$/.test(text('type'))) {
    throw new Error('It is not an archive of plain files, or it is damaged.');
  }
  const isBinary = header[fields.size[0]] === 0x80;
  const size = isBinary
    ? Number(header.readBigUInt64BE(fields.size[0] + 4))
    : Number.parseInt(text('size'), 8);
  return { name: text('name'), size };
}

/** The sum of the bytes of a header, in which the checksum itself counts as spaces. */
function sumOf(header: Buffer): number {
  const [at, length] = fields.checksum;
  return header.reduce((sum, byte, i) => sum + (i >= at && i < at + length ? 0x20 : byte), 0);
}

function paddingOf(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}

/** Reads an archive in the pieces that it consists of. */
class Source {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(archive: AsyncIterable<Buffer>) {
    this.#chunks = archive[Symbol.asyncIterator]();
  }

  /** The next bytes, as they come. */
  async *next(bytes: number): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0; ) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#chunks.next();
        if (done) throw new Error('The archive is cut short.');
        this.#rest = value;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  async exactly(bytes: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.next(bytes)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Reads what is left. */
  async end(): Promise<void> {
    while (!(await this.#chunks.next()).done);
  }
}
