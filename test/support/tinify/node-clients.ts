import current from 'tinify';
import before from 'tinify-1.8.1';

/** Tinify’s client for Node. A module is one client: it has one key, and one host. */
export type NodeClient = typeof current;

/** The current version, which sends commands with POST, and the last one that sent them with GET. */
export const nodeClients: readonly (readonly [name: string, client: NodeClient])[] = [
  ['Node 1.8.3', current],
  ['Node 1.8.1', before],
];

/** Makes a client send its calls to a service with its own certificate. */
export function pointAt(
  client: NodeClient,
  { origin, authority }: { readonly origin: string; readonly authority: string },
): void {
  Object.assign(client.Client, { API_ENDPOINT: origin, CA_BUNDLE: authority });
}
