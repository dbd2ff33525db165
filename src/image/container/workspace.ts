/** Memory that is allocated and freed in any order. Bytes must not be read after they have been freed. */
export interface Workspace {
  /**
   * Allocates zeroed bytes, aligned to 16.
   * @throws NoMemory if there are fewer than `length`
   */
  take(length: number): Uint8Array<ArrayBuffer>;
  giveBack(bytes: Uint8Array): void;
}

/** A workspace in which each block is a buffer of its own, freed at once when it is given back. */
export const buffers: Workspace = {
  take: (length) => new Uint8Array(length),
  giveBack: freeMemory,
};

/** A workspace has less memory than was requested. */
export class NoMemory extends Error {
  override readonly name = 'NoMemory';
}

/**
 * Frees the memory of a buffer at once, which garbage collection would do much later. Bytes of it must not be read any
 * more; may be called repeatedly.
 * @param owned the buffer, or bytes of it; null and undefined: nothing
 */
export function freeMemory(
  owned: ArrayBufferLike | { readonly buffer: ArrayBufferLike } | null | undefined,
): void {
  const buffer = owned && 'buffer' in owned ? owned.buffer : owned;
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength === 0) return;
  // Node 20 has no `transfer`.
  if (buffer.transfer) buffer.transfer(0);
  else structuredClone(buffer, { transfer: [buffer] });
}
