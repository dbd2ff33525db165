import { env } from 'cloudflare:workers';
import { createApp } from './app.ts';
import { readConfig } from './config.ts';
import { clearExpired } from './store/expired.ts';

const app = createApp(readConfig(env));

export default {
  fetch: app.fetch,
  scheduled: ({ scheduledTime }, { DB }) => clearExpired(DB, scheduledTime),
} satisfies ExportedHandler<Env>;
