/**
 * The file's structure cannot be rewritten as asked. The one error of this folder: any other that
 * comes out of it, for whatever bytes, is a bug.
 */
export class ContainerError extends Error {
  override readonly name = 'ContainerError';
}
