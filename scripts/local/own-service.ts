import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withBindings } from './bindings.ts';
import { freePort } from './free-port.ts';
import { startService } from './service.ts';

/** A service whose data nobody else has. */
export interface OwnService {
  /** Without a trailing slash. */
  readonly origin: string;
  /** Opens its bindings in this process. */
  bindings<Result>(work: (env: Env) => Promise<Result>): Promise<Result>;
  /** Where its Worker can be looked into. */
  readonly inspectorPort: number;
}

/** Runs a service with data of its own while the work lasts, and leaves nothing of it behind. */
export async function withOwnService<Result>(
  work: (service: OwnService) => Promise<Result>,
  vars: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'image-optimization-'));
  try {
    const [port, inspectorPort] = [await freePort(), await freePort()];
    const service = await startService({ port, inspectorPort, stateDirectory, vars });
    try {
      return await work({
        origin: service.origin,
        inspectorPort,
        bindings: (inside) => withBindings(stateDirectory, inside),
      });
    } finally {
      await service.stop();
    }
  } finally {
    await rm(stateDirectory, { recursive: true, force: true });
  }
}
