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
  giveBack: ({ buffer }) => void (buffer as ArrayBuffer).transfer(0),
};

/** A workspace has less memory than was requested. */
export class NoMemory extends Error {
  override readonly name = 'NoMemory';
}
