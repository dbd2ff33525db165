/**
 * Bytes of images, as statistics count them: `before` and `after` cover all images, `saved` only those that came back
 * smaller (docs/accounts.md#statistics).
 */
export interface ByteBalance {
  readonly before: number;
  readonly after: number;
  readonly saved: number;
}

/** What the images that came back larger added, so that `before` − `saved` + `added` = `after`. */
export function addedBytes({ before, after, saved }: ByteBalance): number {
  return after - before + saved;
}
