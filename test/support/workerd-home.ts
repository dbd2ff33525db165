import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestHarness, experimental_readRawConfig, type TestHarness } from 'wrangler';
import { root } from '../../scripts/local/root.ts';
import { migrate } from '../../src/node/storage/migrations.ts';
import { bundleFolder } from './bundled-worker.ts';
import type { Home, HomeSettings } from './home.ts';

/** Files of Workers that stand in for a binding, with the binding that they need themselves. */
const standIns = {
  EMAIL: { name: 'mail-stand-in', bindings: { send_email: [{ name: 'EMAIL' }] } },
  KV: { name: 'lagging-kv', bindings: { kv_namespaces: [{ binding: 'KV' }] } },
} as const;

/** Starts the bundle in workerd. */
export async function startInWorkerd(settings: HomeSettings): Promise<Home> {
  // By default, wrangler would print every mail, and request the machine's location from an external server.
  process.env.WRANGLER_LOG ??= 'error';
  process.env.CLOUDFLARE_CF_FETCH_ENABLED ??= 'false';
  const harness = harnessOf(settings);
  const { url } = await harness.listen();
  const worker = harness.getWorker<Env>();
  const env = await worker.getEnv();
  // The harness's own way computes half a second longer.
  await migrate(env.DB, join(root, 'migrations'));
  return {
    url,
    env,
    hourly: async (scheduledTime) => {
      await worker.scheduled({ cron: '17 * * * *', scheduledTime });
    },
    logs: () => JSON.stringify(harness.getLogs()),
    clearLogs: () => harness.clearLogs(),
    refuseMails: async (code) => {
      const provider = await harness
        .getWorker<Record<string, unknown>, typeof import('./mail-stand-in.ts')>('mail-stand-in')
        .getExport();
      await provider.refuse(code);
    },
    lagKv: async (isLagging) => {
      const kv = await harness
        .getWorker<Record<string, unknown>, typeof import('./lagging-kv.ts')>('lagging-kv')
        .getExport();
      await kv.lag(isLagging);
    },
    close: () => harness.close(),
  };
}

function harnessOf({ vars = {}, secrets = {}, standIn, hasOutputs }: HomeSettings): TestHarness {
  const service = {
    configPath: hasOutputs ? configWithOutputs() : join(root, 'wrangler.toml'),
    prebuiltWorkerDir: bundleFolder,
    vars: { ...vars },
    secrets: { ...secrets },
  };
  if (standIn === undefined) return createTestHarness({ workers: [service] });
  const { name, bindings } = standIns[standIn];
  const main = join(import.meta.dirname, `${name}.ts`);
  return createTestHarness({
    workers: [
      { ...service, bindingOverrides: { [standIn]: name } },
      { config: { name, main, compatibility_date: '2026-11-01', ...bindings } },
    ],
  });
}

/** The path of a wrangler.toml with a bucket; next to the original, because its paths are relative. */
function configWithOutputs(): string {
  const { rawConfig } = experimental_readRawConfig({ config: join(root, 'wrangler.toml') });
  const outputs = { binding: 'OUTPUTS', bucket_name: 'outputs' };
  const r2_buckets = [...(rawConfig.r2_buckets ?? []), outputs];
  const path = join(root, 'wrangler.bucket.json');
  writeFileSync(path, JSON.stringify({ ...rawConfig, r2_buckets }));
  return path;
}
