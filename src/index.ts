import { env } from 'cloudflare:workers';
import { outputLife } from './access/output-id.ts';
import { createApp } from './app.ts';
import { readConfig } from './config.ts';
import { Meter } from './meter/meter.ts';
import { slugsFreeSince } from './policy/limits.ts';
import { firstDayKept } from './policy/quota.ts';
import { clearExpired } from './store/expired.ts';
import { clearOutputs } from './store/outputs.ts';
import { completeSites } from './store/site-upkeep.ts';

export { Meter };

const app = createApp(readConfig(env));

export default {
  fetch: app.fetch,
  async scheduled({ scheduledTime: now }, env) {
    const expired = clearExpired(env.DB, {
      now,
      firstDayKept: firstDayKept(now),
      slugsFreeSince: slugsFreeSince(now),
    });
    await Promise.all([expired, clearOutputs(env, now - outputLife), completeSites(env)]);
  },
} satisfies ExportedHandler<Env>;
