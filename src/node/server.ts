import { join } from 'node:path';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { createApp } from '../app.ts';
import { readConfig } from '../config.ts';
import { hourlyWork } from '../hourly.ts';
import type { Platform } from '../platform.ts';
import type { AppEnv } from '../routes/http/context.ts';
import { turns } from '../routes/optimize/scheduler.ts';
import { logFault } from '../telemetry/log.ts';
import { folderAssets } from './assets.ts';
import { currentFigures } from './figures.ts';
import { type Answer, Listener } from './http/listener.ts';
import { provideGlobals } from './http/streams.ts';
import { smtpSender } from './mail.ts';
import { type PictureThreads, startThreads } from './pictures/threads.ts';
import { publicFetch } from './public-fetch.ts';
import { memoryRateLimits } from './rate-limits.ts';
import { commonVariables, type Environment, readNodeSettings } from './settings.ts';
import { openState } from './storage/state-folder.ts';
import {
  askForDomains,
  mailNotice,
  startNotice,
  type Terminal,
  terminalSender,
} from './terminal.ts';

/** A server that answers requests. */
export interface RunningServer {
  /** Where it listens, without a trailing slash. */
  readonly origin: string;
  /** What the app has; for what is done beside its requests. */
  readonly platform: Platform;
  /**
   * Ends in order: health says so for a while, connections are closed when their requests have been answered, and what is
   * kept is complete.
   * @param notice how long health says so before, in milliseconds
   */
  stop(notice: number): Promise<void>;
}

/** How long requests may take to end, in milliseconds. */
const endingTimeout = 30_000;

/**
 * Starts the service on this machine.
 * @throws Error with lines for the operator: about settings, the state folder or the port
 */
export async function startServer(
  environment: Environment,
  { show, ask }: Terminal,
): Promise<RunningServer> {
  const settings = readNodeSettings(environment);
  provideGlobals();
  const folder = settings.STATE_DIR;
  const migrations = join(import.meta.dirname, 'migrations');
  const state = await openState({ folder, migrations, environment });
  const mails = settings.MAIL_URL === '' ? terminalSender(show) : smtpSender(settings.MAIL_URL);
  let threads: PictureThreads | undefined;
  try {
    threads = await startThreads({
      threads: settings.THREADS,
      memory: settings.MEMORY_MIB * mebibyte,
    });
    turns.workAt(threads);
    if (ask && !environment.ALLOWED_EMAIL_DOMAINS) await askForDomains(ask, state);
    const texts = { ...commonVariables(environment), ...state.texts };
    const parsed = readConfig(texts);
    const measured = { folder, memory: settings.MEMORY_MIB * mebibyte, threads: settings.THREADS };
    const config = {
      ...parsed,
      fetchSource: publicFetch(parsed.privateSources),
      currentFigures: () => currentFigures(measured),
    };
    const machine = {
      isStopping: false,
      get isWritable() {
        return state.isWritable;
      },
    };
    const platform = state.platform({
      ...texts,
      ...memoryRateLimits(),
      EMAIL: mails,
      ASSETS: folderAssets(join(import.meta.dirname, 'cabinet')),
      MACHINE: machine,
    });
    const app = createApp(config);
    // As Cloudflare does.
    const compressed = new Hono<AppEnv>()
      .use(compress())
      .all('*', (c) => app.fetch(c.req.raw, c.env, c.executionCtx));
    const answer: Answer = async (request, waitUntil) => {
      const context = { waitUntil, passThroughOnException: () => {}, props: {} };
      return await compressed.fetch(request, platform, context);
    };
    const { TRUSTED_PROXIES: proxies } = settings;
    const listener = new Listener(answer, { proxies, publicOrigin: config.publicOrigin });
    const port = await listener.listen(settings.PORT, settings.HOST);
    const endHourly = everyHour((now) =>
      doHourly(platform, now, state.clear(now, settings.RESULTS_MIB * mebibyte)),
    );
    const host = settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST;
    const origin = `http://${host}:${port}`;
    const notice = mailNotice(settings.MAIL_URL, config.mailFrom);
    if (notice !== null) show(notice);
    show(startNotice(config.publicOrigin ?? origin, settings, config.allowedEmailDomains));
    return {
      origin,
      platform,
      stop: async (notice) => {
        machine.isStopping = true;
        endHourly();
        await new Promise((resolve) => setTimeout(resolve, notice));
        await listener.stop(endingTimeout);
        await threads?.close();
        await state.close();
        // Meters may have been sending some until now.
        mails.close();
      },
    };
  } catch (error) {
    await threads?.close();
    await state.close();
    mails.close();
    throw error;
  }
}

async function doHourly(
  platform: Platform,
  now: number,
  others: readonly Promise<unknown>[],
): Promise<void> {
  try {
    await hourlyWork(platform, now, others);
  } catch (error) {
    logFault('hourly_work_failed', { error: String(error) });
  }
}

const minute = 60_000;

const mebibyte = 2 ** 20;

/**
 * Does work once in each hour, 17 minutes past. The clock is looked at each minute, so that it may jump.
 * @returns ends that
 */
function everyHour(work: (now: number) => void): () => void {
  const hourOf = (now: number) => Math.floor((now - 17 * minute) / (60 * minute));
  let last = hourOf(Date.now());
  const timer = setInterval(() => {
    const now = Date.now();
    if (hourOf(now) === last) return;
    last = hourOf(now);
    work(now);
  }, minute);
  return () => clearInterval(timer);
}
