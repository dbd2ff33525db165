import { createApp } from '../app.ts';
import { readConfig } from '../config.ts';
console.log(typeof createApp, typeof readConfig);
