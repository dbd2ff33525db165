import * as page from './browser.ts';
import type * as Node from './node.ts';

// What the built package has in the place of node.ts (rolldown.config.ts): what it needs of a page, or of Node where an
// entry for Node has been loaded.

/** What the package needs of where it runs. */
type Platform = Pick<
  typeof Node,
  'readFile' | 'coreCount' | 'usualPoolMebibytes' | 'openThread' | 'port'
>;

let platform: Platform = page;

/** Takes the place of the page, before there is work. */
export function choose(other: Platform): void {
  platform = other;
}

export const readFile: Platform['readFile'] = (url) => platform.readFile(url);

export const coreCount: Platform['coreCount'] = () => platform.coreCount();

export const usualPoolMebibytes: Platform['usualPoolMebibytes'] = () =>
  platform.usualPoolMebibytes();

export const openThread: Platform['openThread'] = (receivers) => platform.openThread(receivers);

export const port: Platform['port'] = {
  post: (message, transferred) => platform.port.post(message, transferred),
  onMessage: (receive) => platform.port.onMessage(receive),
};
