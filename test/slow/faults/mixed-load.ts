import type { Random } from '../../support/random.ts';
import type { Customer, Pictures } from './customer.ts';
import type { SignIns } from './sign-ins.ts';

/** Calls to optimize that one customer has under way at a time. */
export const uploadsAtOnce = 3;

/**
 * Keeps every kind of request coming from everyone, until `isOver` says so.
 * @returns what was answered and should not have been
 */
export async function mixedLoad(
  { customers, signIns }: { customers: readonly Customer[]; signIns: SignIns },
  pictures: Pictures,
  random: Random,
  isOver: () => boolean,
): Promise<string[]> {
  const actors: (() => Promise<string[]>)[] = [];
  for (const customer of customers) {
    for (let i = 0; i < uploadsAtOnce; i += 1) {
      actors.push(() => customer.optimize(pictures, random));
    }
    actors.push(() => customer.keys.act(random));
    actors.push(() => customer.wallet.act(random));
  }
  actors.push(() => signIns.act(random));
  const complaints = actors.map(async (act) => {
    const found: string[] = [];
    while (!isOver()) found.push(...(await act()));
    return found;
  });
  return (await Promise.all(complaints)).flat();
}
