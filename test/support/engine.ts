import { ImageError, type Optimized, type OptimizeOptions, plan } from '../../src/image/engine.ts';

/** Optimizes a file without a pause. @throws ImageError */
export function optimize(
  file: Uint8Array<ArrayBuffer>,
  options: Partial<OptimizeOptions> = {},
): Optimized {
  return plan(file, options).start().finish();
}

/** What a file becomes with these options, or why nothing comes of it. The file stays as it is. */
export function answerTo(
  file: Uint8Array,
  options: Partial<OptimizeOptions> = {},
): Optimized | ImageError {
  try {
    return optimize(file.slice(), options);
  } catch (error) {
    if (error instanceof ImageError) return error;
    throw error;
  }
}

/** The size in bytes that a refusal for `maxBytes` says is in reach. */
export function smallestOf(answer: Optimized | ImageError): number {
  if (!(answer instanceof ImageError)) throw new Error('it was optimized');
  return Number(answer.members.smallest_bytes);
}
