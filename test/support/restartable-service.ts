import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/local/free-port.ts';
import { isOnNode } from './home.ts';
import { IsolateHeap } from './isolate-heap.ts';
import { type ServiceWithData, startLocalService } from './local-service.ts';
import type { NodeServer } from './node/node-server.ts';
import { fieldOf, killTree, listeningPorts, statusOf } from './processes.ts';
import { StoreFile } from './store-file.ts';
import { StripeStandIn, stripeVars } from './stripe.ts';

/** Text that must never be printed, whatever breaks: the key or the address of a customer. */
const forbiddenOutput = /fewer_[0-9A-Za-z]{6}|[\w.+-]+@gmail\.com/;

/** The service in processes that can be killed, with data that outlive it. */
export class RestartableService {
  readonly stripe = new StripeStandIn();
  readonly stateDirectory: string;
  readonly #vars: Readonly<Record<string, string>>;
  readonly #port: number;
  /** The port of its Worker's inspector. */
  readonly inspectorPort: number;
  #running: ServiceWithData | undefined;
  #printed = '';

  private constructor(
    stateDirectory: string,
    ports: readonly [service: number, inspector: number],
    vars: Record<string, string>,
  ) {
    this.stateDirectory = stateDirectory;
    [this.#port, this.inspectorPort] = ports;
    this.#vars = vars;
  }

  /** @param folder for its data, in place of one that is made for it */
  static async start(
    vars: Record<string, string> = {},
    folder?: string,
  ): Promise<RestartableService> {
    const stateDirectory = folder ?? (await mkdtemp(join(tmpdir(), 'fewerbytes-faults-')));
    const ports = [await freePort(), await freePort()] as const;
    const service = new RestartableService(stateDirectory, ports, vars);
    await service.stripe.start();
    await service.start();
    return service;
  }

  get origin(): string {
    return `http://localhost:${this.#port}`;
  }

  /** The database file. */
  get database(): StoreFile {
    return StoreFile.of(this.stateDirectory, 'd1');
  }

  /** The files of the meters. */
  get meters(): StoreFile[] {
    return StoreFile.all(this.stateDirectory, 'meters');
  }

  /** The origin at which its Worker can be reached without wrangler's proxy; null if it cannot be found. */
  async innerOrigin(): Promise<string | null> {
    if (isOnNode) return this.origin;
    const pid = runtimePid(this.stateDirectory);
    for (const port of pid === null ? [] : listeningPorts(pid)) {
      const origin = `http://127.0.0.1:${port}`;
      const signal = AbortSignal.timeout(10_000);
      const response = await fetch(`${origin}/v1/health`, { signal }).catch(() => null);
      if (response?.status === 200) return origin;
    }
    return null;
  }

  /** The number of requests with a valid reservation. */
  reserved(): number {
    const open = `SELECT count(*) AS n FROM lanes WHERE reservation IS NOT NULL AND expires_at > ?`;
    return this.meters.reduce((sum, meter) => {
      const row = meter.open((file) => file.prepare(open).get(Date.now()));
      return sum + Number(row?.n);
    }, 0);
  }

  /** The file of the KV namespace. */
  get kv(): StoreFile {
    return StoreFile.of(this.stateDirectory, 'kv');
  }

  /** Starts the service on the existing data. */
  async start(): Promise<void> {
    this.#running = await startLocalService({
      port: this.#port,
      inspectorPort: this.inspectorPort,
      stateDirectory: this.stateDirectory,
      vars: { ...stripeVars(this.stripe.origin), ...this.#vars },
    });
  }

  /** Sends SIGKILL to all its processes at the same time. */
  killAll(): void {
    if (!this.#running) return;
    killTree(this.#running.pid);
    this.#printed += this.#running.output();
    this.#running = undefined;
  }

  /**
   * Sends SIGKILL only to the runtime. wrangler's proxy survives, keeps connections, and starts another runtime.
   * @returns whether it was found; only Linux shows which process has a file open, and on Node there is no proxy
   */
  killRuntime(): boolean {
    if (isOnNode) return false;
    const pid = runtimePid(this.stateDirectory);
    if (pid !== null) process.kill(pid, 'SIGKILL');
    return pid !== null;
  }

  /** The server's process, on Node. */
  get node(): NodeServer {
    const node = this.#running?.node;
    if (!node) throw new Error('It does not run, or not on Node.');
    return node;
  }

  /** Gives its bindings to work in this process. */
  bindings<Result>(work: (env: Env) => Promise<Result>): Promise<Result> {
    if (!this.#running) throw new Error('The service does not run.');
    return this.#running.bindings(work);
  }

  /** What JavaScript holds in it. */
  async heap(): Promise<{ held(): Promise<number>; close(): void }> {
    const node = this.#running?.node;
    if (!node) return IsolateHeap.connect(this);
    return { held: () => node.call('heldBytes'), close: () => {} };
  }

  /** Everything printed so far. */
  get output(): string {
    return this.#printed + (this.#running?.output() ?? '');
  }

  /** Resident memory of the runtime in bytes; null if it cannot be found. */
  runtimeMemory(): number | null {
    const pid = isOnNode ? (this.#running?.pid ?? null) : runtimePid(this.stateDirectory);
    if (pid === null) return null;
    return 1024 * fieldOf(statusOf(String(pid)), 'VmRSS');
  }

  /**
   * Stops the service and deletes its data.
   * @throws Error if something private was printed
   */
  async close(): Promise<void> {
    const printed = this.output;
    await this.#running?.stop();
    await this.stripe.stop();
    await rm(this.stateDirectory, { recursive: true, force: true });
    if (forbiddenOutput.test(printed)) throw new Error('something private was printed');
  }
}

/** The workerd process that has a file below this folder open. */
function runtimePid(folder: string): number | null {
  if (process.platform !== 'linux') return null;
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,comm='], { encoding: 'utf8' });
  for (const line of processes.split('\n')) {
    const [pid = '', name] = line.trim().split(/\s+/);
    if (name === 'workerd' && hasOpen(pid, folder)) return Number(pid);
  }
  return null;
}

function hasOpen(pid: string, folder: string): boolean {
  const descriptors = `/proc/${pid}/fd`;
  try {
    return readdirSync(descriptors).some((one) => {
      try {
        return readlinkSync(join(descriptors, one)).startsWith(folder);
      } catch {
        return false; // closed meanwhile
      }
    });
  } catch {
    return false; // another user's process, or gone
  }
}
