/** Memory that is taken and given back in any order. What is given back is not to be read any more. */
export interface Workspace {
  /**
   * Bytes of zeros, from a multiple of 16 on.
   * @throws NoMemory if there are not so many
   */
  take(length: number): Uint8Array<ArrayBuffer>;
  giveBack(bytes: Uint8Array): void;
}

/** Each block is a buffer of its own, which goes at once when it is given back. */
export const buffers: Workspace = {
  take: (length) => new Uint8Array(length),
  giveBack: ({ buffer }) => void (buffer as ArrayBuffer).transfer(0),
};

/** A workspace has less than was asked for. */
export class NoMemory extends Error {
  override readonly name = 'NoMemory';
}
