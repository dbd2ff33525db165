import type { OpenThread, Port } from './node.ts';

// What the package needs of a page, like node.ts.

/** Pages have no files: their URLs are fetched. */
export async function readFile(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  throw new Error(`${url} cannot be read by a page`);
}

interface PageNavigator extends Navigator {
  /** GiB, rounded; only in Chromium (https://www.w3.org/TR/device-memory/). */
  readonly deviceMemory?: number;
  readonly userAgentData?: { readonly mobile: boolean };
}

const page = () => navigator as PageNavigator;

export const coreCount = () => page().hardwareConcurrency || 2;

/** How much memory a pool takes if nobody says, in MiB: less on small devices. */
export function usualPoolMebibytes(): number {
  const { deviceMemory = 8, userAgentData, userAgent } = page();
  const isPhone = userAgentData?.mobile ?? /Mobi/.test(userAgent);
  return deviceMemory <= 4 || isPhone ? 256 : 512;
}

export const openThread: OpenThread = ({ onMessage, onFailure }) => {
  const worker = new Worker(new URL('./browser/pool-thread.js', import.meta.url), {
    type: 'module',
  });
  worker.onmessage = ({ data }) => onMessage(data);
  worker.onerror = (event) => {
    worker.terminate();
    onFailure(new Error(event.message || 'the worker does not start'));
  };
  return {
    post: (message, transferred = []) => worker.postMessage(message, [...transferred]),
    keepAlive: () => {},
    end: async () => worker.terminate(),
  };
};

interface WorkerScope {
  postMessage(message: unknown, transferred: readonly ArrayBuffer[]): void;
  addEventListener(type: 'message', receive: (event: { readonly data: unknown }) => void): void;
}

/** In a thread: the port to whoever has opened it. */
export const port: Port = {
  post: (message, transferred = []) =>
    (globalThis as unknown as WorkerScope).postMessage(message, transferred),
  onMessage: (receive) =>
    (globalThis as unknown as WorkerScope).addEventListener('message', ({ data }) => receive(data)),
};
