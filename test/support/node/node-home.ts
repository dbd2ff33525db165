import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../scripts/local/free-port.ts';
import { commonVariables } from '../../../src/node/settings.ts';
import type { Home, HomeSettings } from '../home.ts';
import { NodeServer } from './node-server.ts';
import { remoteBindings } from './remote-bindings.ts';

/** Starts the service on Node, with an empty folder for its state. */
export async function startOnNode({
  vars = {},
  secrets = {},
  hasOutputs = false,
}: HomeSettings): Promise<Home> {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'fewerbytes-node-'));
  const texts = { ...commonVariables({}), ...vars, ...secrets };
  const server = await NodeServer.start({ port: await freePort(), stateDirectory, texts });
  // As it is on Workers, where a bucket is a choice.
  if (!hasOutputs) await server.call('dropBucket', 'OUTPUTS');
  return {
    url: new URL(server.origin.replace('localhost', '127.0.0.1')),
    env: remoteBindings(server, texts),
    hourly: (at) => server.call('hourly', at.getTime()),
    logs: () => server.logs(),
    clearLogs: () => server.clearLogs(),
    refuseMails: (code) => server.call('refuseMails', code),
    lagKv: (isLagging) => server.call('lagKv', isLagging),
    close: async () => {
      await server.stop();
      await rm(stateDirectory, { recursive: true, maxRetries: 5 });
    },
  };
}
