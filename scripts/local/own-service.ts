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
}

/** Runs a service with data of its own while the work lasts, and leaves nothing of it behind. */
export async function withOwnService(work: (service: OwnService) => Promise<void>): Promise<void> {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'image-optimization-'));
  try {
    const service = await startService({ port: await freePort(), stateDirectory, verbose: false });
    try {
      await work({
        origin: service.origin,
        bindings: (inside) => withBindings(stateDirectory, inside),
      });
    } finally {
      await service.stop();
    }
  } finally {
    await rm(stateDirectory, { recursive: true, force: true });
  }
}
