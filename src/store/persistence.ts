import { isOutage } from './outage.ts';

/** Before each repetition, in milliseconds. */
const rests = [100, 1000, 5000];

/**
 * Repeats what the database or KV did not answer; only for work that takes no harm
 * from being done twice. May take more than six seconds: an answer should not wait for it.
 * @throws what the work throws that is no outage, or still is one at last
 */
export async function persistently(work: () => Promise<void>): Promise<void> {
  for (const rest of rests) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error)) throw error;
      await scheduler.wait(rest);
    }
  }
  await work();
}
