import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { OptimizeError } from '../errors.ts';
import { Destinations } from './destination.ts';
import { type Found, type FoundFile, findFiles, type Scope } from './find.ts';
import type { Summary } from './report.ts';
import { type RunSettings, runOver, scopeOf } from './run.ts';
import { stateOf } from './state.ts';

/** Time between two scans of the folders, in milliseconds. */
const minInterval = 500;
/** Large folders are scanned less often, so that scanning takes at most this share of the time. */
const maxShareOfTime = 0.05;

/** Time between two scans while the service cannot be reached, in milliseconds. */
const offlineInterval = 5000;

/** Files by real path, each with its state (see `stateOf`). */
type Sight = ReadonlyMap<string, { readonly file: FoundFile; readonly state: string }>;

/**
 * Optimizes, then goes on with files that are added, changed or moved, until the signal is aborted or the key or quota
 * is no good any more. Folders are polled: unlike file system events, this works in containers, on network drives and
 * with globs. A file is processed once two scans in a row found it unchanged, so that none is sent while it is still
 * being copied, and only once, since the states of all files that a round has read or written are known.
 * @param onRound called with the summary of the first round and of each later one that had something to do
 * @returns the last summary
 */
export async function watchFiles(
  inputs: readonly string[],
  settings: RunSettings,
  onRound: (summary: Summary) => void,
): Promise<Summary> {
  const scope = await scopeOf(settings);
  const destinations = new Destinations();
  /** State of each file that has been read or written, by real path. */
  const done = new Map<string, string>();
  const round = async (found: Found): Promise<Summary> => {
    const summary = await runOver(found, settings, scope, destinations, (path, state) => {
      done.set(path, state);
    });
    onRound(summary);
    const unsent = summary.files.filter(({ error }) => error && isOutage(error));
    const names = new Set(unsent.map(({ path }) => path));
    for (const { path, realPath } of found.files) if (names.has(path)) done.delete(realPath);
    return summary;
  };

  let summary = await round(await findFiles(inputs, scope));
  let before: Sight = new Map();
  while (!summary.isCancelled && summary.stop !== 'key' && summary.stop !== 'quota') {
    const began = Date.now();
    const now = await look(inputs, scope);
    const lookTime = Date.now() - began;
    for (const path of [...done.keys()].filter((each) => !now.has(each))) {
      done.delete(path);
      destinations.release(path);
    }
    const files = [...now]
      .filter(([path, { state }]) => done.get(path) !== state && before.get(path)?.state === state)
      .map(([, { file }]) => file);
    before = now;
    if (files.length > 0) summary = await round({ files, missing: [] });
    const interval = Math.max(minInterval, lookTime / maxShareOfTime);
    const isOffline = summary.files.some(({ error }) => error && isOutage(error));
    const wait = isOffline ? Math.max(interval, offlineInterval) : interval;
    await pause(wait, undefined, { signal: settings.signal }).catch(() => {});
    if (settings.signal?.aborted) return { ...summary, isCancelled: true };
  }
  return summary;
}

/** Whether a file is worth another try although it has not changed. */
function isOutage({ stop, code }: OptimizeError): boolean {
  return stop === 'unreachable' || code === 'network' || code === 'timeout';
}

async function look(inputs: readonly string[], scope: Scope): Promise<Sight> {
  const { files } = await findFiles(inputs, scope);
  const sight = new Map<string, { file: FoundFile; state: string }>();
  for (const file of files) {
    const stats = await stat(file.realPath).catch(() => null);
    if (stats) sight.set(file.realPath, { file, state: stateOf(stats) });
  }
  return sight;
}
