import { countText } from './formatting.ts';

/** The settings of a deployment that decide what it keeps, and for how long. */
export interface RetentionSettings {
  /** Whether clients of Tinify can be pointed at this service, which then keeps their images for a while. */
  readonly tinifyApi: boolean;
  /** Whether there is a bucket that keeps images by URL. */
  readonly keepsResults: boolean;
  /** Whether requests are recorded for the owners of their keys. */
  readonly keyLog: boolean;
}

/** How long things are kept where they are; a test compares these with the limits of the service. */
export const keptFor = {
  outputMinutes: 10,
  unreadDays: 30,
  requests: 1000,
  requestDays: 7,
} as const;

/** What a deployment keeps, in the words of its pages. */
export interface Retention {
  /** How long images are kept, for cells of tables: no sentence, and without a full stop. */
  readonly inTable: string;
  /** How long images are kept, as one sentence. */
  readonly inShort: string;
  /** How long images are kept, as sentences that leave nothing out. */
  readonly images: string;
  /** What is recorded of requests. */
  readonly requests: string;
}

/** States what a deployment keeps, so that no page promises more than its settings do. */
export function retentionOf({ tinifyApi, keepsResults, keyLog }: RetentionSettings): Retention {
  const { outputMinutes, unreadDays, requests, requestDays } = keptFor;
  const minutes = `up to ${outputMinutes} minutes`;
  const unused = `until unused for ${unreadDays} days`;
  return {
    inTable: joined('; ', [
      'Not at all',
      tinifyApi && `with Tinify’s clients ${minutes}`,
      keepsResults && `images by URL ${unused}`,
    ]),
    inShort: `Images that you send are not stored${exceptions([
      tinifyApi && `those of Tinify’s clients (${minutes})`,
      keepsResults && `results of images by URL (${unused})`,
    ])}.`,
    images: joined(' ', [
      'An image that you send to the API stays in memory for as long as the call takes, and is not stored.',
      tinifyApi &&
        `What Tinify’s clients send and get is kept for ${minutes}, encrypted under a key that only the address of the result contains.`,
      keepsResults
        ? `Results of images by URL are kept until nobody has needed them for ${unreadDays} days.`
        : 'Results of images by URL are kept only by the cache in front of the service.',
    ]),
    requests: joined(' ', [
      keyLog &&
        `Of the last ${countText(requests)} requests with a key, its owner sees times, sizes and results for ${requestDays} days.`,
      'Images, their names and their URLs are never logged.',
    ]),
  };
}

/** A part of a text; false: left out. */
type Part = string | false;

function joined(separator: string, parts: readonly Part[]): string {
  return parts.filter((part) => part !== false).join(separator);
}

function exceptions(parts: readonly Part[]): string {
  const listed = parts.filter((part) => part !== false);
  return listed.length === 0 ? '' : `, except ${new Intl.ListFormat('en-GB').format(listed)}`;
}
