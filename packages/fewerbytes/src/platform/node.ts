import { setMaxListeners } from 'node:events';
import { readFile as read } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parentPort, Worker } from 'node:worker_threads';

// What the package needs of Node; chosen.ts has the same for pages.

/** Reads a file of the package: a kernel beside the code. */
export async function readFile(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await read(fileURLToPath(url.href)));
}

/** A thread that has been opened. */
export interface Thread {
  post(message: unknown, transferred?: readonly ArrayBuffer[]): void;
  /** Whether the process waits for it. */
  keepAlive(isBusy: boolean): void;
  end(): Promise<void>;
}

/** Opens a thread that runs pool/thread.ts. */
export type OpenThread = (receivers: {
  onMessage(message: unknown): void;
  /** The thread has ended, or could not be started. */
  onFailure(error: unknown): void;
}) => Thread;

/** What leads from a thread to whoever has opened it. */
export interface Port {
  post(message: unknown, transferred?: readonly ArrayBuffer[]): void;
  onMessage(receive: (message: unknown) => void): void;
}

export const coreCount = availableParallelism;

/** How much memory a pool takes if nobody says, in MiB. */
export const usualPoolMebibytes = () => 512;

/** Lets many jobs have one signal, at which Node would warn of a leak. */
export const watchByMany = (signal: AbortSignal): void => setMaxListeners(0, signal);

export const openThread: OpenThread = (receivers) =>
  openThreadOf(new URL('./pool-thread.js', import.meta.url), receivers);

/**
 * Opens a thread that runs any file.
 * @param workerData what the thread knows from the beginning
 */
export function openThreadOf(
  file: URL,
  { onMessage, onFailure }: Parameters<OpenThread>[0],
  workerData?: unknown,
): Thread {
  // A thread that waits keeps no process alive. Flags of the process, such as those of `node -e`, are none of its business.
  const worker = new Worker(fileURLToPath(file.href), { execArgv: [], workerData });
  worker.unref();
  worker.on('message', onMessage);
  worker.on('error', onFailure);
  worker.on('exit', () => onFailure(new Error('the thread has ended')));
  return {
    post(message, transferred = []) {
      worker.postMessage(message, transferred);
    },
    keepAlive: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    end: async () => void (await worker.terminate()),
  };
}

/** In a thread: the port to whoever has opened it. */
export const port: Port = {
  post: (message, transferred = []) => parentPort?.postMessage(message, transferred),
  onMessage: (receive) => void parentPort?.on('message', receive),
};
