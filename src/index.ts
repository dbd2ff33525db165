import { DurableObject, env, WorkerEntrypoint } from 'cloudflare:workers';
import { outputLife } from './access/output-id.ts';
import { createApp } from './app.ts';
import { readConfig } from './config.ts';
import { Meter } from './meter/meter.ts';
import { deliveryLimits, slugsFreeSince } from './policy/limits.ts';
import { firstDayKept } from './policy/quota.ts';
import { deliveryApp } from './routes/delivery/deliver.ts';
import { type Claimed, Lease, type Outcome } from './routes/delivery/lease.ts';
import type { DeliveryProps } from './routes/delivery/result.ts';
import { clearExpired } from './store/expired.ts';
import { clearOutputs } from './store/outputs.ts';
import { clearResults } from './store/results.ts';
import { completeSites } from './store/site-upkeep.ts';

export { Meter };

const config = readConfig(env);
const delivery = deliveryApp(config);
const app = createApp(config);

/** Images by URL, behind the gate: the only entry point with a cache in front of it. */
export class Delivery extends WorkerEntrypoint<Env, DeliveryProps> {
  override fetch(request: Request): Response | Promise<Response> {
    return delivery.fetch(request, { ...this.env, PROPS: this.ctx.props }, this.ctx);
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
  async scheduled({ scheduledTime: now }, env) {
    const expired = clearExpired(env.DB, {
      now,
      firstDayKept: firstDayKept(now),
      slugsFreeSince: slugsFreeSince(now),
    });
    const outputs = clearOutputs(env, now - outputLife);
    const results = clearResults(env, { now, since: now - deliveryLimits.keptUnread });
    await Promise.all([expired, outputs, completeSites(env), results]);
  },
} satisfies ExportedHandler<Env>;
