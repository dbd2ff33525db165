import { join } from 'node:path';
import { getPlatformProxy } from 'wrangler';
import { migrate } from './migrations.ts';
import { withPatience } from './patience.ts';
import { root } from './root.ts';

/**
 * Opens the local service's bindings in this process, its database brought
 * up to date; works beside a running service as well.
 * @param work begun again when that service had the database locked: nothing in
 *   it may suffer from being done twice
 */
export async function withBindings<Result>(
  stateDirectory: string,
  work: (env: Env) => Promise<Result>,
): Promise<Result> {
  // wrangler's remarks would end up between what our commands print
  process.env.WRANGLER_LOG ??= 'error';
  const proxy = await getPlatformProxy<Env>({
    configPath: join(root, 'wrangler.toml'),
    persist: { path: join(stateDirectory, 'v3') },
    remoteBindings: false,
  });
  try {
    return await withPatience(async () => {
      await migrate(proxy.env.DB);
      return work(proxy.env);
    });
  } finally {
    await proxy.dispose();
  }
}
