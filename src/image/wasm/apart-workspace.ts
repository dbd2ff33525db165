import { buffers, NoMemory, type Workspace } from '../container/workspace.ts';

/** An allocated block, as byte offsets in the zone. */
interface Block {
  readonly at: number;
  readonly end: number;
}

/**
 * Allocates memory in a zone set apart in an arena (`Arena.setApart`) and, when that is full, in separate buffers. Uses
 * the first gap that is large enough.
 */
export class ApartWorkspace implements Workspace {
  readonly #zone: Uint8Array<ArrayBuffer>;
  /** Blocks in order of offset. */
  readonly #blocks: Block[] = [];
  #bufferRoom: number;

  /** @param bufferBytes maximum bytes of buffers outside the zone */
  constructor(zone: Uint8Array<ArrayBuffer>, bufferBytes: number) {
    this.#zone = zone;
    this.#bufferRoom = bufferBytes;
  }

  /** Bytes that can still be allocated in total, in comparatively small blocks. */
  get free(): number {
    const taken = this.#blocks.reduce((sum, { at, end }) => sum + end - at, 0);
    return this.#zone.length - taken + this.#bufferRoom;
  }

  take(length: number): Uint8Array<ArrayBuffer> {
    return this.#takeApart(length) ?? this.#takeBuffer(length);
  }

  giveBack(bytes: Uint8Array): void {
    if (bytes.buffer !== this.#zone.buffer || this.#zone.length === 0) {
      this.#bufferRoom += bytes.length;
      buffers.giveBack(bytes);
      return;
    }
    const at = bytes.byteOffset - this.#zone.byteOffset;
    const index = this.#blocks.findIndex((block) => block.at === at);
    if (index >= 0) this.#blocks.splice(index, 1);
  }

  #takeApart(length: number): Uint8Array<ArrayBuffer> | null {
    const size = Math.ceil(length / alignment) * alignment;
    let at = 0;
    let index = 0;
    for (; index < this.#blocks.length; index += 1) {
      const block = this.#blocks[index];
      if (!block || block.at - at >= size) break;
      at = block.end;
    }
    const limit = this.#blocks[index]?.at ?? this.#zone.length;
    if (limit - at < size) return null;
    this.#blocks.splice(index, 0, { at, end: at + size });
    return this.#zone.subarray(at, at + length).fill(0);
  }

  #takeBuffer(length: number): Uint8Array<ArrayBuffer> {
    if (length > this.#bufferRoom) throw new NoMemory();
    this.#bufferRoom -= length;
    return buffers.take(length);
  }
}

const alignment = 16;
