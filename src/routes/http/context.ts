import type { Context } from 'hono';
import type { Presented } from '../../access/mailbox.ts';
import type { Session } from '../../access/session.ts';
import type { Config } from '../../config.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Optimized } from '../../image/engine.ts';
import type { ImageType } from '../../image/formats/facts.ts';
import type { StripeSettings } from '../../payments/checkout-session.ts';
import type { Platform } from '../../platform.ts';

/** Facts about a request that handlers collect for its log record. */
export interface RequestNotes {
  /** The error code of the response. */
  code?: ErrorCode;
  /** The id of the API key of the request, or of the site. */
  key_id?: string;
  /** Sizes of the source and of the result in bytes. */
  bytes_in?: number;
  bytes_out?: number;
  input_type?: ImageType;
  output_type?: ImageType;
  /** The engine that produced the result. */
  engine?: Optimized['engine'];
  /** Predicted peak memory of the request in bytes. */
  predicted_peak?: number;
  /** Predicted CPU time of the work in milliseconds. */
  predicted_cpu?: number;
}

/** How a request with work was booked. */
export interface Booked {
  /** Results that are charged. */
  readonly charged: number;
  /** Sizes of the source and of the results that have left, in bytes; null: none, or not known. */
  readonly bytesIn: number | null;
  readonly bytesOut: number | null;
}

/** The context of every handler. */
export interface AppEnv {
  Bindings: Platform;
  Variables: {
    requestId: string;
    config: Config;
    notes: RequestNotes;
    /** The signal of the request as it came, which aborts when the client has gone: one with another body has its own. */
    client: AbortSignal;
    /** The key of routes that require one. */
    key?: Presented;
    /** Settles when the response has left, for requests that reserved files; never rejects. */
    booked?: Promise<Booked>;
  };
}

/** The context of handlers whose route requires a session. */
export interface SignedInEnv extends AppEnv {
  Variables: AppEnv['Variables'] & { session: Session };
}

/** The context of handlers whose route requires an API key. */
export interface KeyEnv extends AppEnv {
  /** A key that this service issued; the handler checks whether it is still active. */
  Variables: AppEnv['Variables'] & { key: Presented };
}

/** The context of handlers whose route is called by Stripe. */
export interface StripeEnv extends AppEnv {
  /** The payment settings, and the signature header, to be verified against the body. */
  Variables: AppEnv['Variables'] & { stripe: StripeSettings; signature: string };
}

/** Adds facts to the log record of a request. */
export function note<RouteEnv extends AppEnv>(c: Context<RouteEnv>, notes: RequestNotes): void {
  Object.assign(c.var.notes, notes);
}

/** The origin for links to this service, without a trailing slash. */
export function linkOrigin<RouteEnv extends AppEnv>(c: Context<RouteEnv>): string {
  return c.var.config.publicOrigin ?? new URL(c.req.url).origin;
}
