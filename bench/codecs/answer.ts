import { ImageError, type OptimizeOptions, plan } from '../../src/image/engine.ts';

interface Answered {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Bytes that the service reserves for the request, not counting the file. */
  readonly planned: number;
}

/** Optimizes a picture as the service does, within the memory of an isolate; returns undefined if it is refused. */
export function answered(
  file: Uint8Array<ArrayBuffer>,
  options: Partial<OptimizeOptions>,
): Answered | undefined {
  try {
    const work = plan(file.slice(), options);
    const { arena, buffers } = work.peak;
    return { bytes: work.start().finish().bytes, planned: arena + buffers + work.heldBytes };
  } catch (error) {
    if (error instanceof ImageError) return undefined;
    throw error;
  }
}
