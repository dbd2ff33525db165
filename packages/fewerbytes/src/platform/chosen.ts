import { LoadingError } from '../loading-error.ts';
import type * as Node from './node.ts';

// What the built package has in the place of node.ts (rolldown.config.ts): what it needs of a page, or of Node where an
// entry for Node has been loaded.

/** What the package needs of where it runs. */
type Platform = Pick<
  typeof Node,
  'readFile' | 'coreCount' | 'usualPoolMebibytes' | 'watchByMany' | 'openThread' | 'port'
>;

interface PageNavigator extends Navigator {
  /** GiB, rounded; only in Chromium (https://www.w3.org/TR/device-memory/). */
  readonly deviceMemory?: number;
  readonly userAgentData?: { readonly mobile: boolean };
}

interface WorkerScope {
  postMessage(message: unknown, transferred: readonly ArrayBuffer[]): void;
  addEventListener(type: 'message', receive: (event: { readonly data: unknown }) => void): void;
}

const scope = () => globalThis as unknown as WorkerScope;

const page: Platform = {
  /** Pages have no files: their URLs are fetched. */
  async readFile(url) {
    throw new Error(`${url} cannot be read by a page`);
  },

  coreCount: () => navigator.hardwareConcurrency || 2,

  /** Less on small devices. */
  usualPoolMebibytes() {
    const { deviceMemory = 8, userAgentData, userAgent } = navigator as PageNavigator;
    const isPhone = userAgentData?.mobile ?? /Mobi/.test(userAgent);
    return deviceMemory <= 4 || isPhone ? 256 : 512;
  },

  watchByMany() {},

  openThread({ onMessage, onFailure }) {
    const worker = new Worker(new URL('./browser/pool-thread.js', import.meta.url), {
      type: 'module',
    });
    worker.onmessage = ({ data }) => onMessage(data);
    worker.onerror = (event) => {
      worker.terminate();
      // Without a message, its file has not been loaded.
      onFailure(
        event.message ? new Error(event.message) : new LoadingError('the worker does not start'),
      );
    };
    return {
      post: (message, transferred = []) => worker.postMessage(message, [...transferred]),
      keepAlive: () => {},
      end: async () => worker.terminate(),
    };
  },

  port: {
    post: (message, transferred = []) => scope().postMessage(message, transferred),
    onMessage: (receive) => scope().addEventListener('message', ({ data }) => receive(data)),
  },
};

let platform = page;

/** Takes the place of the page, before there is work. */
export function choose(other: Platform): void {
  platform = other;
}

export const readFile: Platform['readFile'] = (url) => platform.readFile(url);

export const coreCount: Platform['coreCount'] = () => platform.coreCount();

export const usualPoolMebibytes: Platform['usualPoolMebibytes'] = () =>
  platform.usualPoolMebibytes();

export const watchByMany: Platform['watchByMany'] = (signal) => platform.watchByMany(signal);

export const openThread: Platform['openThread'] = (receivers) => platform.openThread(receivers);

export const port: Platform['port'] = {
  post: (message, transferred) => platform.port.post(message, transferred),
  onMessage: (receive) => platform.port.onMessage(receive),
};
