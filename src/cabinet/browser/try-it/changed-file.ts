import type { Failure } from '../api/failure.ts';

/** The code of a file that cannot be read any more, which is the browser's own. */
export const changedFile = 'changed_file';

/**
 * Browsers take a file as it was when it was chosen. When it has changed since,
 * sending fails in just the way in which it does without a connection, and
 * would for ever. Null: it can still be read, and something else was wrong.
 */
export async function changedFileFailure(file: Blob): Promise<Failure | null> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return null;
  } catch {
    const message = 'This file has changed or gone since it was chosen. Choose it again.';
    return { code: changedFile, message, fields: {}, retryAfter: null, requestId: null };
  }
}
