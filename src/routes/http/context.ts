import type { Context } from 'hono';
import type { Presented } from '../../access/mailbox.ts';
import type { Session } from '../../access/session.ts';
import type { Config } from '../../config.ts';
import type { ErrorCode } from '../../errors.ts';
import type { ImageType } from '../../image/formats/facts.ts';
import type { Result } from '../../image/pipeline/result.ts';
import type { StripeSettings } from '../../payments/checkout-session.ts';

/** What handlers find out about a request that its log may hold. */
export interface RequestNotes {
  /** The code of the problem that it was answered with. */
  code?: ErrorCode;
  /** Id of the API key that it came with. */
  key_id?: string;
  /** Sizes of the image as it came and as it goes, in bytes. */
  bytes_in?: number;
  bytes_out?: number;
  input_type?: ImageType;
  output_type?: ImageType;
  /** What made the result. */
  engine?: Result['engine'];
  /** Memory that the request was counted for at its worst moment, in bytes. */
  predicted_peak?: number;
  /** Computing time that its work was predicted to take, in milliseconds. */
  predicted_cpu?: number;
}

/** What every handler finds in its context. */
export interface AppEnv {
  Bindings: Env;
  Variables: { requestId: string; config: Config; notes: RequestNotes };
}

/** What a handler of a route finds in addition that requires a session. */
export interface SignedInEnv extends AppEnv {
  Variables: AppEnv['Variables'] & { session: Session };
}

/** What a handler of a route finds in addition that requires an API key. */
export interface KeyEnv extends AppEnv {
  /** The key as it was issued; whether it is still active is for the handler to find out. */
  Variables: AppEnv['Variables'] & { key: Presented };
}

/** What a handler of a route finds in addition that Stripe calls. */
export interface StripeEnv extends AppEnv {
  /** How payments are taken, and the header that has to fit the body. */
  Variables: AppEnv['Variables'] & { stripe: StripeSettings; signature: string };
}

/** Adds to what will be logged of a request. */
export function note<RouteEnv extends AppEnv>(c: Context<RouteEnv>, notes: RequestNotes): void {
  Object.assign(c.var.notes, notes);
}

/** Where links to this service point, without a trailing slash. */
export function linkOrigin<RouteEnv extends AppEnv>(c: Context<RouteEnv>): string {
  return c.var.config.publicOrigin ?? new URL(c.req.url).origin;
}
