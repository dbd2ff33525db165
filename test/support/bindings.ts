import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withBindings } from '../../scripts/local/database.ts';
import { root } from '../../scripts/local/root.ts';
import { openState, type StatePlace } from '../../src/node/storage/state-folder.ts';
import type { D1Database, KVNamespace, Platform, R2Bucket } from '../../src/platform.ts';

/** The parts of a platform that both homes of the service have in this process. */
interface StoreBindings {
  readonly DB: D1Database;
  readonly KV: KVNamespace;
  readonly RESULTS: R2Bucket;
}

/** Runs work on empty stores. */
type Within = <Result>(work: (bindings: StoreBindings) => Promise<Result>) => Promise<Result>;

/** Runs work on the empty stores of Node. */
export const onNode: Within = (work) =>
  inFolder(async (folder) => {
    const state = await openState(placeOf(folder));
    try {
      const { DB, KV, RESULTS } = state.platform(noOthers);
      if (!RESULTS) throw new Error('no bucket');
      return await work({ DB, KV, RESULTS });
    } finally {
      await state.close();
    }
  });

/** The homes of the service. */
export const homes: readonly (readonly [string, Within])[] = [
  ['workerd', (work) => inFolder((folder) => withBindings(folder, work))],
  ['Node', onNode],
];

/** Where a state is kept, with the migrations of this version. */
export function placeOf(folder: string): StatePlace {
  return { folder, migrations: join(root, 'migrations'), environment: {} };
}

/** For tests that need the stores of a platform alone. */
export const noOthers = {} as Omit<Platform, 'DB'>;

/** Runs work with a folder of its own. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'fewerbytes-state-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, maxRetries: 5 });
  }
}
