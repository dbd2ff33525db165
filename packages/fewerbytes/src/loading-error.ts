/** Code or a kernel of the engine could not be loaded, such as without a connection. The same call may succeed later. */
export class LoadingError extends Error {
  override readonly name = 'LoadingError';
}
