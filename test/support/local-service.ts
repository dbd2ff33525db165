import { withBindings } from '../../scripts/local/database.ts';
import { freePort } from '../../scripts/local/free-port.ts';
import { presentVars } from '../../scripts/local/secrets.ts';
import { type LocalService, startService } from '../../scripts/local/service.ts';
import { commonVariables } from '../../src/node/settings.ts';
import { builtConfig, prepareState } from './bundled-worker.ts';
import { isOnNode } from './home.ts';
import { NodeServer } from './node/node-server.ts';
import { remoteBindings } from './node/remote-bindings.ts';

/** A service in processes of its own, with data that outlive it. */
export interface ServiceWithData extends LocalService {
  /** Gives its bindings to work in this process. */
  bindings<Result>(work: (env: Env) => Promise<Result>): Promise<Result>;
  /** Runs the scheduled work, as if it were the given time. */
  hourly(at: Date): Promise<void>;
  /** The server, on Node. */
  readonly node?: NodeServer;
}

interface Settings {
  readonly stateDirectory: string;
  /** A free one by default. */
  readonly port?: number;
  readonly inspectorPort?: number;
  readonly vars?: Readonly<Record<string, string>>;
}

/**
 * Starts the service as people run it on their machine: the bundle under `wrangler dev`, or with `TARGET=node` on Node,
 * without the bucket for images of Tinify’s clients in both.
 */
export async function startLocalService({
  port,
  vars = {},
  ...others
}: Settings): Promise<ServiceWithData> {
  const { stateDirectory } = others;
  const settings = { ...others, port: port ?? (await freePort()) };
  if (!isOnNode) {
    await prepareState(stateDirectory);
    const service = await startService({ ...settings, vars, builtConfig });
    const { origin } = service;
    return {
      ...service,
      bindings: (work) => withBindings(stateDirectory, work),
      hourly: async (at) => {
        const done = await fetch(`${origin}/cdn-cgi/handler/scheduled?time=${at.getTime()}`);
        if (!done.ok) throw new Error(await done.text());
      },
    };
  }
  // What `startService` sets.
  const local = { ALLOW_HTTP_SOURCES: 'true', REQUEST_LOG: '' };
  const texts = { ...commonVariables({}), ...local, ...onlyTexts(presentVars()), ...vars };
  const node = await NodeServer.start({ ...settings, texts });
  const { origin, pid, ended } = node;
  await node.call('dropBucket', 'OUTPUTS');
  return {
    ...{ node, origin, pid, ended },
    output: () => node.output(),
    stop: () => node.stop(),
    bindings: (work) => work(remoteBindings(node, texts)),
    hourly: (at) => node.call('hourly', at.getTime()),
  };
}

function onlyTexts(variables: NodeJS.Dict<string>): Record<string, string> {
  const present = Object.entries(variables).filter(([, text]) => text !== undefined);
  return Object.fromEntries(present) as Record<string, string>;
}
