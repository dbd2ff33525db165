import type { ByteBalance } from '../../text/byte-balance.ts';
import { changeText, sizeText } from '../../text/formatting.ts';
import { isHeld, type Upload } from './queue.ts';

/** The progress: `2 of 3 done. 1 failed.` */
export function summaryOf(uploads: readonly Upload[]): string {
  const accepted = uploads.filter(({ state }) => state.kind !== 'refused');
  const failed = failuresOf(accepted).length;
  const refused = uploads.length - accepted.length;
  const { images } = totalsOf(accepted);
  return sentences(
    accepted.length > 0 && `${images} of ${accepted.length} done.`,
    failed > 0 && `${failed} failed.`,
    refused > 0 && `${refused} can’t be sent.`,
  );
}

/** The number of results, and their bytes. */
export function totalsOf(uploads: readonly Upload[]): ByteBalance & { readonly images: number } {
  const results = uploads.flatMap(({ state }) => (state.kind === 'done' ? [state.result] : []));
  return {
    images: results.length,
    before: results.reduce((sum, { bytesBefore }) => sum + bytesBefore, 0),
    after: results.reduce((sum, { bytesAfter }) => sum + bytesAfter, 0),
    saved: results.reduce(
      (sum, { bytesBefore, bytesAfter }) => sum + Math.max(0, bytesBefore - bytesAfter),
      0,
    ),
  };
}

/**
 * The progress for screen readers: announced when images are added and when the queue becomes idle, but not after every
 * image.
 */
export function announcementOf(uploads: readonly Upload[]): string {
  const active = uploads.filter((upload) => isActive(upload)).length;
  const held = uploads.filter(isHeld).length;
  if (active === 0) {
    const failures = failuresOf(uploads);
    const refusals = uploads.flatMap(({ state }) =>
      state.kind === 'refused' ? [state.reason] : [],
    );
    const { images, before, after } = totalsOf(uploads);
    return sentences(
      summaryOf(uploads),
      images === 1 &&
        `${sizeText(before)} became ${sizeText(after)} (${changeText(before, after)}).`,
      images > 1 &&
        `In total, ${sizeText(before)} became ${sizeText(after)} (${changeText(before, after)}).`,
      failures.length === 1 && failures[0],
      refusals.length === 1 && refusals[0],
      held > 0 && `${imagesText(held)} not sent yet.`,
    );
  }
  // Counts all accepted images, so that the text does not change while they are processed.
  const accepted = uploads.filter(
    (upload) => upload.state.kind !== 'refused' && !isHeld(upload),
  ).length;
  return `${imagesText(accepted)} added. A summary follows when all are done.`;
}

/** The lowest number of files left in any response, because responses may arrive out of order. */
export function quotaAfter(uploads: readonly Upload[], since: number): number | null {
  const remaining = uploads.flatMap(({ state }) =>
    state.kind === 'done' && state.at >= since && state.result.quotaRemaining !== null
      ? [state.result.quotaRemaining]
      : [],
  );
  return remaining.length > 0 ? Math.min(...remaining) : null;
}

/** `1 image`, `30 images`. */
export function imagesText(count: number): string {
  return `${count} ${count === 1 ? 'image' : 'images'}`;
}

function isActive(upload: Upload): boolean {
  const { kind } = upload.state;
  return kind === 'sending' || kind === 'pausing' || (kind === 'waiting' && !isHeld(upload));
}

function failuresOf(uploads: readonly Upload[]): readonly string[] {
  return uploads.flatMap(({ state }) => (state.kind === 'failed' ? [state.failure.message] : []));
}

function sentences(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(' ');
}
