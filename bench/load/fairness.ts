import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../measures/figures.ts';
import type { Measured } from './load-generator.ts';
import { upload } from './past-capacity.ts';
import type { Picture } from './pictures.ts';

/** Number of photos sent at the same time. */
const photos = 48;

/** Number of times that a photo is sent at most. */
const maxTries = 5;

/** Number of long-running images of one user. */
const longJobs = 4;

/** Number of requests for a page during long work, and the milliseconds between them. */
const polls = 20;
const pollInterval = 500;

/** Status and duration of a request, in seconds. */
interface Answer {
  readonly status: number;
  readonly seconds: number;
}

async function timed(url: string, init: RequestInit = {}): Promise<Answer> {
  const began = performance.now();
  const response = await fetch(url, init);
  await response.arrayBuffer();
  return { status: response.status, seconds: (performance.now() - began) / 1000 };
}

/**
 * Sends photos of all users at the same time, each again where 503 says so: more than the service does within the time
 * that a request may wait. All of them have to be answered 200 in the end.
 */
export async function crowdOfPhotos(
  origin: string,
  keys: readonly string[],
  photo: Picture,
): Promise<Measured> {
  const bytes = Uint8Array.from(photo.bytes);
  const answers = await Promise.all(
    Array.from({ length: photos }, async (_, i) => {
      const began = performance.now();
      for (let tries = 1; ; tries += 1) {
        const outcome = await upload(origin, keys[i % keys.length] ?? '', bytes, 'buffer');
        const seconds = (performance.now() - began) / 1000;
        if (outcome.kind !== 'later' || tries === maxTries) return { outcome, seconds };
        await pause(outcome.seconds * 1000);
      }
    }),
  );
  const seconds = answers.map((answer) => answer.seconds);
  const succeeded = answers.filter(({ outcome }) => outcome.kind === 'succeeded').length;
  const megabytes = (photo.bytes.length / 1e6).toFixed(1);
  return {
    table: {
      caption: `${photos} photos of ${megabytes} MB from ${keys.length} users at once`,
      columns: ['200', 'first, s', 'median, s', 'last, s'],
      rows: [
        [
          String(succeeded),
          ...[Math.min(...seconds), median(seconds) ?? 0, Math.max(...seconds)].map(inSeconds),
        ],
      ],
    },
    succeeded,
    failures: succeeded === photos ? [] : [`${photos - succeeded} of ${photos} photos: not 200`],
  };
}

/**
 * Sends long work of one user together with requests of others: pages have to be answered between its images, and
 * another user's small image has to wait for at most the image being processed.
 */
export async function longWork(
  origin: string,
  [busy = '', other = '']: readonly string[],
  { long, small }: { readonly long: Picture; readonly small: Picture },
): Promise<Measured> {
  const alone = await optimize(origin, busy, long);
  const jobs = Array.from({ length: longJobs }, () => optimize(origin, busy, long));
  // By now, the first one is being processed.
  await pause(1000);
  const [image, health, page] = await Promise.all([
    optimize(origin, other, small),
    polled(`${origin}/v1/health`),
    polled(`${origin}/`),
  ]);
  const answers = [alone, ...(await Promise.all(jobs)), image];
  const failures = [...answers, ...health, ...page]
    .filter(({ status }) => status !== 200)
    .map(({ status }) => `beside long work: status ${status}`);
  if (image.seconds > 2 * alone.seconds) {
    failures.push(`a small image waited ${inSeconds(image.seconds)} s for more than one long one`);
  }
  const longest = (these: readonly Answer[]) => Math.max(...these.map(({ seconds }) => seconds));
  return {
    table: {
      caption: `While ${longJobs} images of one user are worked on that take ${inSeconds(alone.seconds)} s each: the longest wait of others`,
      columns: ['', 's'],
      rows: [
        ['a small image of another user', inSeconds(image.seconds)],
        ['/v1/health', inSeconds(longest(health))],
        ['/', inSeconds(longest(page))],
      ],
    },
    succeeded: answers.filter(({ status }) => status === 200).length,
    failures,
  };
}

/** Requests a page repeatedly. */
function polled(url: string): Promise<Answer[]> {
  return Promise.all(
    Array.from({ length: polls }, async (_, i) => {
      await pause(i * pollInterval);
      return timed(url);
    }),
  );
}

function optimize(origin: string, key: string, { bytes, query }: Picture): Promise<Answer> {
  return timed(`${origin}/v1/optimize${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: Uint8Array.from(bytes),
  });
}

function inSeconds(seconds: number): string {
  return seconds.toFixed(2);
}
