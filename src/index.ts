import { env } from 'cloudflare:workers';
import { createApp } from './app.ts';
import { readConfig } from './config.ts';
import { Meter } from './meter/meter.ts';
import { firstDayKept } from './policy/quota.ts';
import { clearExpired } from './store/expired.ts';

export { Meter };

const app = createApp(readConfig(env));

export default {
  fetch: app.fetch,
  scheduled: ({ scheduledTime: now }, { DB }) =>
    clearExpired(DB, { now, firstDayKept: firstDayKept(now) }),
} satisfies ExportedHandler<Env>;
