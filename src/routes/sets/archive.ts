import { Zip, ZipPassThrough } from 'fflate';
import { type Recipient, Transfer } from '../optimize/send.ts';

/**
 * A ZIP archive that leaves while it is being made. Its files are stored, because images are compressed already, and
 * each has its size and checksum behind it (APPNOTE.TXT 4.3.9).
 */
export class Archive {
  readonly body: ReadableStream<Uint8Array>;
  readonly #transfer: Transfer;
  readonly #zip: Zip;
  readonly #mtime = new Date();
  /** Settles when everything so far has left, or will not: which of both. */
  #left: Promise<boolean> = Promise.resolve(true);

  constructor(to: Recipient) {
    let end: () => void = () => {};
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => {
        end = () => controller.error(new Error('The archive was given up.'));
      },
      // What was taken is released at once, even if its reader has yet to pass it on.
      transform: (chunk, controller) => controller.enqueue(chunk.slice()),
    });
    this.body = readable;
    this.#transfer = new Transfer(writable.getWriter(), to, end);
    this.#zip = new Zip((error, chunk) => {
      if (error) throw error;
      const before = this.#left;
      const leaving = this.#transfer.add(chunk as Uint8Array<ArrayBuffer>);
      this.#left = before.then(async (isWhole) => (await leaving) && isWhole);
    });
  }

  /**
   * Adds a file, and takes over its memory.
   * @returns settles when all of it, and of what was added before, has left, or will not: which of both
   */
  add(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const file = new ZipPassThrough(name);
    file.mtime = this.#mtime;
    this.#zip.add(file);
    file.push(bytes, true);
    return this.#left;
  }

  /** Settles when everything that was added has left, or will not: which of both. */
  get left(): Promise<boolean> {
    return this.#left;
  }

  /** Whether the client is slow to take what has been added. */
  get isSlow(): boolean {
    return this.#transfer.isSlow;
  }

  /** Adds the list of all files, and ends. @returns settles when it has left */
  async close(): Promise<void> {
    this.#zip.end();
    await this.#transfer.close();
  }

  /** Ends before its end, so that the client sees that it is not whole. */
  async abort(): Promise<void> {
    this.#transfer.abort();
    await this.#transfer.close();
  }
}
