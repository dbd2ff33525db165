import { env } from 'cloudflare:workers';
import { createApp } from './app.ts';
import { readConfig } from './context.ts';

export default createApp(readConfig(env));
