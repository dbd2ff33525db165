/** Where the service runs that tests start: in workerd, or with `TARGET=node` on Node. */
export const isOnNode = process.env.TARGET === 'node';

export interface HomeSettings {
  readonly vars?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  /** The binding in whose place is one that can be made to fail, or to lag. */
  readonly standIn?: 'EMAIL' | 'KV';
  /** Whether it has a bucket for what clients of Tinify send. */
  readonly hasOutputs?: boolean;
}

/** A running service with data of its own, as tests need it, wherever it runs. */
export interface Home {
  readonly url: URL;
  /** Its bindings; what is called of them happens in the service. */
  readonly env: Env;
  /** Runs the scheduled work, as if it were the given time. */
  hourly(at: Date): Promise<void>;
  /** What it has logged, in JSON: objects are printed in Node's format. */
  logs(): string;
  clearLogs(): void;
  /** Makes the stand-in for `EMAIL` refuse all mails with this error code; null ends that. */
  refuseMails(code: string | null): Promise<void>;
  /** Makes the stand-in for `KV` lag; false ends that. */
  lagKv(isLagging: boolean): Promise<void>;
  close(): Promise<void>;
}
