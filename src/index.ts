import { DurableObject, env, WorkerEntrypoint } from 'cloudflare:workers';
import { createApp } from './app.ts';
import { readConfig } from './config.ts';
import { hourlyWork } from './hourly.ts';
import { keyLogOn } from './key-log/key-log.ts';
import { meterOn } from './meter/meter.ts';
import type { Platform } from './platform.ts';
import { deliveryApp } from './routes/delivery/deliver.ts';
import { type Claimed, Lease, type Outcome } from './routes/delivery/lease.ts';
import type { DeliveryProps } from './routes/delivery/result.ts';
import type { Samples } from './telemetry/counts.ts';
import { handOver, Totals } from './telemetry/totals.ts';

// The bindings are all that the service needs.
const config = readConfig(env satisfies Platform);
const delivery = deliveryApp(config);
const app = createApp(config);

/** Images by URL, behind the gate: the only entry point with a cache in front of it. */
export class Delivery extends WorkerEntrypoint<Env, DeliveryProps> {
  override fetch(request: Request): Response | Promise<Response> {
    return delivery.fetch(request, { ...this.env, PROPS: this.ctx.props }, this.ctx);
  }
}

/** The meter of one mailbox. */
export class Meter extends meterOn(DurableObject<Env>) {
  override async alarm(): Promise<void> {
    await super.alarm();
    // No request passes by here that does this.
    await handOver(env);
  }
}

/** The logs of the keys of one mailbox. */
export class KeyLog extends keyLogOn(DurableObject<Env>) {}

/** Adds up what all isolates have counted. */
export class Metrics extends DurableObject<Env> {
  readonly #totals = new Totals(this.ctx.storage.kv);

  async add(increases: Samples): Promise<void> {
    const due = this.#totals.add(increases, Date.now());
    if (due !== null) await this.ctx.storage.setAlarm(due);
  }

  read(): Samples {
    return this.#totals.read(Date.now());
  }

  override alarm(): void {
    this.#totals.keep(Date.now());
  }
}

/** The lease of one image by URL. */
export class ResultLease extends DurableObject<Env> {
  readonly #lease = new Lease();

  claim(maker: string, maxWait: number): Promise<Claimed> {
    return this.#lease.claim(maker, maxWait);
  }

  renew(maker: string): boolean {
    return this.#lease.renew(maker);
  }

  finish(maker: string, outcome: Outcome | null): void {
    this.#lease.finish(maker, outcome);
  }
}

export default {
  fetch: app.fetch,
  scheduled: ({ scheduledTime }, env) => hourlyWork(env, scheduledTime),
} satisfies ExportedHandler<Env>;
