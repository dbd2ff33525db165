import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Errand, Reading } from './fresh-service.ts';

/** So many processes that measure side by side: each looks at nothing but its own services. */
const lanes = 2;

/**
 * Does `work` for every item, so many at a time as there are lanes; results in the order of the items.
 * @param work is given a function that measures in a process of the item's own
 */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  work: (item: Item, measure: (errand: Errand) => Promise<Reading>) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = [...items.entries()];
  const lane = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [i, item] = next;
      const child = fork(join(import.meta.dirname, 'fresh-service.ts'));
      try {
        results[i] = await work(item, (errand) => sent(child, errand));
      } finally {
        child.kill();
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

async function sent(child: ChildProcess, errand: Errand): Promise<Reading> {
  const ended = new AbortController();
  const { signal } = ended;
  child.send(errand);
  try {
    const broken = once(child, 'exit', { signal }).then(([code]) => {
      throw new Error(`a service could not be measured: its process ended with ${code}`);
    });
    const [reading] = await Promise.race([once(child, 'message', { signal }), broken]);
    return reading as Reading;
  } finally {
    ended.abort();
  }
}
