import { withBindings } from '../../scripts/local/bindings.ts';
import { makeLocalKey } from '../../scripts/local/key.ts';
import type { RestartableService } from '../../test/support/restartable-service.ts';

/** Enough that no brake on one user is met: each may send 3,000 pictures a minute. */
const count = 8;

/** Keys of as many users. */
export function makeKeys({ stateDirectory }: RestartableService): Promise<string[]> {
  return withBindings(stateDirectory, async (env) => {
    const keys: string[] = [];
    for (let i = 0; i < count; i += 1) {
      keys.push(await makeLocalKey(env, `customer.${i}@gmail.com`));
    }
    return keys;
  });
}
